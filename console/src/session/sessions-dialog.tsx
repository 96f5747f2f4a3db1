import { Badge, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureNotice } from '../show/failure-notice.tsx';
import { Time } from '../show/time.tsx';
import { endSession, type ListedSession, readSessions } from './browser-session.ts';
import { browserWords } from './browser-words.ts';
import { sessionId } from './standing.ts';

/** Where else somebody is signed in with the key of this session, and an end to it. */
export function SessionsDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Sessions of this key">
      <Sessions />
    </Modal>
  );
}

function Sessions(): ReactNode {
  const own = sessionId() ?? '';
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions', own],
    queryFn: ({ signal }) => readSessions(own, signal),
    staleTime: 0,
  });
  const end = useMutation({ mutationFn: (id: string) => endSession(own, id), onSettled: () => refetch() });
  const failure = error ?? end.error;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        Browsers that are signed in with this key. One ends when it is not used for two hours, twelve hours after it began, and at once with
        its key.
      </Text>
      {failure ? <FailureNotice error={failure} /> : null}
      {data ? (
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {data.map((one) => (
            <Line key={one.id} session={one} isEnding={end.isPending && end.variables === one.id} onEnd={() => end.mutate(one.id)} />
          ))}
        </Stack>
      ) : failure ? null : (
        <Loader role="status" size="sm" aria-label="Loading" />
      )}
    </Stack>
  );
}

interface LineProps {
  readonly session: ListedSession;
  readonly isEnding: boolean;
  readonly onEnd: () => void;
}

function Line({ session: { user_agent, created_at, last_used_at, is_current }, isEnding, onEnd }: LineProps): ReactNode {
  const browser = browserWords(user_agent ?? '');
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={500} truncate title={user_agent ?? undefined}>
          {browser}
        </Text>
        <Text size="xs" c="dimmed">
          Signed in <Time at={created_at} dimmed />, last used <Time at={last_used_at} dimmed />
        </Text>
      </div>
      {is_current ? (
        <Badge size="sm" style={{ flex: 'none' }}>
          This one
        </Badge>
      ) : (
        <Button
          variant="default"
          size="compact-sm"
          style={{ flex: 'none' }}
          loading={isEnding}
          aria-label={`End the session of ${browser}`}
          onClick={onEnd}
        >
          End
        </Button>
      )}
    </Group>
  );
}
