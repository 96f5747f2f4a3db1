import type { ReactNode } from 'react';
import type { Scope } from '../session/me.ts';
import { Empty } from '../show/empty.tsx';
import { Page } from './page.tsx';

/** An address of another version of the console, or of a section that the key does not allow. */
export function NotHere(): ReactNode {
  return (
    <Page title="Not found">
      <Empty title="There is no such page" text="Or this key may not read what it shows. The navigation has all that it may." />
    </Page>
  );
}

interface Given {
  /** Of the page that is not shown. */
  readonly title: string;
  readonly back: { readonly to: string; readonly label: string };
  /** What the page is for, as in "may not add contacts". */
  readonly deed: string;
  readonly scope: Scope;
}

/** In the place of a form that the key may not send. */
export function KeyMayNot({ title, back, deed, scope }: Given): ReactNode {
  return (
    <Page title={title} back={back}>
      <Empty title={`This key may not ${deed}`} text={`It lacks the scope ${scope}. Sign in with a key that has it, or ask for one.`} />
    </Page>
  );
}
