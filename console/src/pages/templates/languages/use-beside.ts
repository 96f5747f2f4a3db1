import { useState } from 'react';
import { keptInTab } from '../../../session/kept-in-tab.ts';

const KEPT = keptInTab('default-beside');

/** Whether languages are written beside the default, as it was chosen last in this tab. */
export function useBeside(): { readonly isShown: boolean; readonly onChange: (isShown: boolean) => void } {
  const [isShown, setIsShown] = useState(() => sessionStorage.getItem(KEPT) !== null);
  return {
    isShown,
    onChange(shows) {
      setIsShown(shows);
      if (shows) sessionStorage.setItem(KEPT, '1');
      else sessionStorage.removeItem(KEPT);
    },
  };
}
