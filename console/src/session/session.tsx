import { Button, Group, Loader } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { asFailure } from '../api/failure.ts';
import { useStore } from '../api/store.ts';
import { FailureNotice } from '../show/failure-notice.tsx';
import type { BrowserSession } from './browser-session.ts';
import { takeEarlyAnswers } from './early-answers.ts';
import { type Me, meOf } from './me.ts';
import { type Operation, scopeOf } from './operations.ts';
import { SignIn } from './sign-in.tsx';
import { signOutOrTell } from './sign-out.ts';
import { arrive, standing } from './standing.ts';
import { StartFrame } from './start-frame.tsx';

export interface Session extends Pick<Me, 'project' | 'key' | 'grants' | 'brands' | 'temporal_web' | 'mailbox' | 'private_webhooks'> {
  /** Whether the key has the scope of the operation: what it does not allow is not offered. */
  may(operation: Operation): boolean;
  /** Reads all this anew: of what a page has changed of it. */
  readAgain(): Promise<unknown>;
}

const Current = createContext<Session | undefined>(undefined);

/** Who is signed in. Only below SessionGate. */
export function useSession(): Session {
  const session = useContext(Current);
  if (!session) throw new Error('useSession is called outside of SessionGate');
  return session;
}

/** Asks for a key until somebody is signed in, and shows `children` then. They stay while a key is asked for anew, with all that was typed. */
export function SessionGate({ children }: { readonly children: ReactNode }): ReactNode {
  const now = useStore(standing);
  if (now.state === 'arriving') return <SigningIn />;
  if (now.state === 'out') return <SignIn refused={now.refused} />;
  if (now.state === 'stopped') return <Stopped error={now.error} onRetry={now.again} onLeave={() => void arrive(undefined)} />;
  return <SignedIn signedIn={now.session}>{children}</SignedIn>;
}

function SignedIn({ signedIn: { id, project }, children }: { readonly signedIn: BrowserSession; readonly children: ReactNode }): ReactNode {
  const { data, error, refetch } = useQuery({
    ...meOf(id),
    // What the session before it might do stands until it is known of the new one, in the same project.
    placeholderData: (before) => (before?.project.slug === project ? before : undefined),
  });
  const session = useMemo(
    () => data && { ...data, may: (operation: Operation) => data.grants.includes(scopeOf(operation)), readAgain: () => refetch() },
    [data, refetch],
  );
  if (session) {
    return (
      <Current value={session}>
        <OfProject key={project}>{children}</OfProject>
      </Current>
    );
  }
  if (!error) return <SigningIn />;
  if (asFailure(error).kind === 'key') return <SignIn refused="session" />;
  return <Stopped error={error} onRetry={refetch} onLeave={signOutOrTell} />;
}

function SigningIn(): ReactNode {
  return <Loader role="status" aria-label="Signing in" m="xl" />;
}

interface StoppedProps {
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onLeave: () => void;
}

function Stopped({ error, onRetry, onLeave }: StoppedProps): ReactNode {
  return (
    <StartFrame>
      <FailureNotice error={error} onRetry={onRetry} />
      <Group justify="center" mt="md">
        <Button variant="subtle" color="gray" onClick={onLeave}>
          Use another key
        </Button>
      </Group>
    </StartFrame>
  );
}

/** Another project is another console: nothing that was read or typed in the one before is shown in it, or sent to it. */
function OfProject({ children }: { readonly children: ReactNode }): ReactNode {
  const [queries] = useState(takeEarlyAnswers);
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}
