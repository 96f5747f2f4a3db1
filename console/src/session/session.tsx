import { Button, Group, Loader } from '@mantine/core';
import { keepPreviousData, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { asFailure } from '../api/failure.ts';
import { useStore } from '../api/store.ts';
import { FailureNotice } from '../show/failure-notice.tsx';
import { takeEarlyAnswers } from './early-answers.ts';
import { apiKey, forgetKey } from './key.ts';
import { KeyRefused } from './key-refused.tsx';
import { type Me, meOf } from './me.ts';
import { type Operation, scopeOf } from './operations.ts';
import { SignIn } from './sign-in.tsx';
import { StartFrame } from './start-frame.tsx';

export interface Session extends Pick<Me, 'project' | 'key' | 'brands' | 'temporal_web'> {
  /** Whether the key has the scope of the operation: what it does not allow is not offered. */
  may(operation: Operation): boolean;
}

const Current = createContext<Session | undefined>(undefined);

/** Who is signed in. Only below SessionGate. */
export function useSession(): Session {
  const session = useContext(Current);
  if (!session) throw new Error('useSession is called outside of SessionGate');
  return session;
}

/** Asks for a key, and shows `children` to the holder of a good one. They stay while another key is asked for, with all that was typed. */
export function SessionGate({ children }: { readonly children: ReactNode }): ReactNode {
  const key = useStore(apiKey);
  // What the key before it may do stands until it is known of the new one.
  const { data: me, error, refetch } = useQuery({ ...meOf(key ?? ''), enabled: key !== undefined, placeholderData: keepPreviousData });
  const session = useMemo(() => me && { ...me, may: (operation: Operation) => me.scopes.includes(scopeOf(operation)) }, [me]);
  if (!key) return <SignIn />;
  if (session) {
    return (
      <Current value={session}>
        <OfProject key={session.project.slug}>{children}</OfProject>
        <KeyRefused />
      </Current>
    );
  }
  if (!error) return <Loader role="status" aria-label="Signing in" m="xl" />;
  if (asFailure(error).kind === 'key') return <SignIn wasRefused />;
  return (
    <StartFrame>
      <FailureNotice error={error} onRetry={refetch} />
      <Group justify="center" mt="md">
        <Button variant="subtle" color="gray" onClick={forgetKey}>
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
