import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { asFailure } from '../api/failure.ts';
import { uncapitalized } from '../letters.ts';
import { OtherKeyButton } from '../session/key-dialog.tsx';
import { type Operation, scopeOf } from '../session/operations.ts';
import { useSession } from '../session/session.tsx';
import { Empty } from '../show/empty.tsx';
import { FailureNotice } from '../show/failure-notice.tsx';
import { Panel } from './detail.tsx';
import { Page } from './page.tsx';

/** An address of another version of the console. */
export function NotHere(): ReactNode {
  return (
    <Page title="Not found">
      <Empty title="Page not found" text="Use the navigation to find what this key can see." />
    </Page>
  );
}

interface Way {
  readonly to: string;
  readonly label: string;
}

interface UnreadGiven {
  readonly error: unknown;
  readonly onRetry: () => void;
  /** What the page is of, as in "This run does not exist". */
  readonly what: string;
  /** The list that it would be one of. */
  readonly back: Way;
}

/** In the place of one thing that could not be read: where there is none, another try cannot help. */
export function Unread({ error, onRetry, what, back }: UnreadGiven): ReactNode {
  return asFailure(error).kind === 'missing' ? <Gone what={what} back={back} /> : <FailureNotice error={error} onRetry={onRetry} />;
}

/** In the place of one thing that there is not. */
export function Gone({ what, back }: Pick<UnreadGiven, 'what' | 'back'>): ReactNode {
  return (
    <Empty
      title={`This ${what} does not exist`}
      text="It may have been deleted, or belong to another project."
      action={
        <Button component={Link} href={back.to} variant="default" mt="sm">
          Back to {uncapitalized(back.label)}
        </Button>
      }
    />
  );
}

interface Given {
  /** Of the page that is not shown. */
  readonly title: string;
  readonly back?: Way;
  /** What the page is for, as in "may not add contacts". */
  readonly deed: string;
  /** Of the API, for which the key needs its scope. */
  readonly operation: Operation;
}

/** In the place of a page that the key does not allow. */
function KeyMayNot({ title, back, deed, operation }: Given): ReactNode {
  return (
    <Page title={title} {...(back ? { back } : {})}>
      <Empty
        title={`This key cannot ${deed}`}
        text={`It lacks the scope ${scopeOf(operation)}. Sign in with a key that has it.`}
        action={<OtherKeyButton />}
      />
    </Page>
  );
}

/** In the place of a part of a page that the key does not allow. */
export function PartKeyMayNot({ title, operation }: Pick<Given, 'title' | 'operation'>): ReactNode {
  return (
    <Panel title={title}>
      <Text size="sm" c="dimmed">
        Not shown: this key lacks the scope {scopeOf(operation)}.
      </Text>
    </Panel>
  );
}

/** A page that needs a scope; without it the page says which. */
export function Allowed({ children, ...needed }: Given & { readonly children: ReactNode }): ReactNode {
  const { may } = useSession();
  return may(needed.operation) ? children : <KeyMayNot {...needed} />;
}
