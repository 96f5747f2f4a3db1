import type { ReactNode } from 'react';
import { useStore } from './api/store.ts';
import { loadedLater } from './pages/section-code.ts';
import { SessionGate } from './session/session.tsx';
import { SectionPages } from './shell/section-pages.tsx';

/** Apart from the page that asks for a key, which stands before this is loaded. */
const SIGNED_IN = { label: 'Everpost', pages: loadedLater(() => import('./signed-in.tsx')) };

/** Starts to load it: it is needed as soon as somebody is signed in. */
export function loadSignedIn(): void {
  void SIGNED_IN.pages.load();
}

/** The whole console. */
export function App(): ReactNode {
  return (
    <>
      <LoadedNotices />
      <SessionGate>
        <SectionPages section={SIGNED_IN} />
      </SessionGate>
    </>
  );
}

/** They outlive whoever was signed in. */
function LoadedNotices(): ReactNode {
  const code = useStore(SIGNED_IN.pages.code);
  return code.state === 'loaded' ? <code.module.Notices /> : null;
}
