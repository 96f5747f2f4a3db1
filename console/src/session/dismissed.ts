import { createStore, useStore } from '../api/store.ts';
import { useSession } from './session.tsx';

/** What one begins with: a part of Home. */
export const FIRST_STEPS = 'first-steps';

/** How often something was hidden or shown again: the browser, which keeps it, does not tell the tab that changed it. */
const changes = createStore(0);

/** Whether this part of the project's console is hidden in this browser, and what hides it or shows it again. */
export function useDismissed(part: string): readonly [isDismissed: boolean, set: (isDismissed: boolean) => void] {
  const { project } = useSession();
  const name = `everpost.hidden.${project.slug}.${part}`;
  useStore(changes);
  const set = (isDismissed: boolean): void => {
    if (isDismissed) localStorage.setItem(name, '1');
    else localStorage.removeItem(name);
    changes.set(changes.get() + 1);
  };
  return [localStorage.getItem(name) !== null, set];
}
