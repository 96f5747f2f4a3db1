import { Button, Menu, Text } from '@mantine/core';
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconPlayerSkipForward, IconSquareX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { messageForPeople } from '../../api/issues.ts';
import { randomKey } from '../../api/random-key.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { notifyDone, notifyFailed } from '../../show/notify.ts';
import { RECURRING, type WholeRecurring } from './recurring-queries.ts';
import { runWords } from './rule-preview.tsx';

/** Change, pause, resume, skip the next run and end it, as far as its state and the key allow. */
export function RecurringActions({ recurring }: { readonly recurring: WholeRecurring }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'skip' | 'end'>();
  const isPaused = recurring.status === 'paused';
  const params = { path: { id: recurring.id } };
  const toggle = useMutation({
    mutationFn: () =>
      answerOf(
        isPaused ? api.POST('/recurring-campaigns/{id}/resume', { params }) : api.POST('/recurring-campaigns/{id}/pause', { params }),
      ),
    onSuccess: ({ recurringCampaign: { status } }) =>
      notifyDone(status === 'paused' ? 'Paused' : status === 'active' ? 'Resumed' : 'Ended'),
    onError: (error) => notifyFailed(`Not ${isPaused ? 'resumed' : 'paused'}: ${messageForPeople(asFailure(error).message)}`),
    onSettled: () => queries.invalidateQueries({ queryKey: RECURRING }),
  });
  if (!may('POST /recurring-campaigns/{id}/pause'))
    return <ReadsOnly things="recurring campaigns" doing="changing" operation="POST /recurring-campaigns/{id}/pause" />;
  // The question stands until it is closed, also once it is answered.
  if (recurring.status === 'ended' && !asked) return null;
  const close = (): void => setAsked(undefined);
  return (
    <>
      <Button
        variant="default"
        leftSection={isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
        loading={toggle.isPending}
        onClick={() => toggle.mutate()}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button component={Link} href={`/${recurring.id}/edit`} leftSection={<IconPencil size={14} />}>
        Change
      </Button>
      <MoreActions>
        {recurring.status === 'active' && recurring.next_runs.length > 0 ? (
          <Menu.Item leftSection={<IconPlayerSkipForward size={15} />} onClick={() => setAsked('skip')}>
            Skip next run…
          </Menu.Item>
        ) : null}
        <Menu.Item color="var(--mantine-color-error)" leftSection={<IconSquareX size={15} />} onClick={() => setAsked('end')}>
          End recurring campaign…
        </Menu.Item>
      </MoreActions>
      <SkipQuestion recurring={recurring} opened={asked === 'skip'} onClose={close} />
      <EndQuestion recurring={recurring} opened={asked === 'end'} onClose={close} />
    </>
  );
}

interface QuestionGiven {
  readonly recurring: WholeRecurring;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function SkipQuestion({ recurring: { id, version, next_runs }, opened, onClose }: QuestionGiven): ReactNode {
  const queries = useQueryClient();
  const skip = useMutation({
    mutationFn: () => {
      // The version says which run is meant, so that the same call twice skips no other one.
      const params = { path: { id }, query: { ifVersion: version }, header: { 'Idempotency-Key': randomKey() } };
      return answerOf(api.POST('/recurring-campaigns/{id}/skip-next', { params }));
    },
    onSuccess: () => {
      notifyDone('Skipped');
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: RECURRING }),
  });
  return (
    <Confirm opened={opened} onClose={onClose} title="Skip the next run?" action="Skip run" mutation={skip}>
      <Text size="sm">
        No campaign is created on {next_runs[0] ? runWords(next_runs[0]) : 'its next day'}. The runs after it are not changed. This cannot
        be undone.
      </Text>
    </Confirm>
  );
}

function EndQuestion({ recurring: { id, version }, opened, onClose }: QuestionGiven): ReactNode {
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => answerOf(api.DELETE('/recurring-campaigns/{id}', { params: { path: { id }, query: { ifVersion: version } } })),
    onSuccess: () => {
      notifyDone('Ended');
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: RECURRING }),
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="End this recurring campaign?"
      action="End recurring campaign"
      keep="Keep it"
      isFinal
      mutation={end}
    >
      <Text size="sm">
        No further campaign is created. Campaigns that it has created go on, and it can still be read here. This cannot be undone.
      </Text>
    </Confirm>
  );
}
