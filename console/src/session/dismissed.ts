import { useState } from 'react';
import { useSession } from './session.tsx';

/** Whether this part of the project's console was hidden for good in this browser, and what hides it. */
export function useDismissed(part: string): readonly [isDismissed: boolean, dismiss: () => void] {
  const { project } = useSession();
  const name = `everpost.hidden.${project.slug}.${part}`;
  // The part may become another while it is shown, so what was hidden is kept by its name.
  const [hidden, setHidden] = useState<string>();
  const dismiss = (): void => {
    localStorage.setItem(name, '1');
    setHidden(name);
  };
  return [hidden === name || localStorage.getItem(name) !== null, dismiss];
}
