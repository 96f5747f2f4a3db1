import { Button, Text } from '@mantine/core';
import { IconCopy, IconPencil, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { settledOf } from './campaign-counts.ts';
import { CAMPAIGNS, type Campaign, hasEnded } from './campaign-queries.ts';
import { useDuplicate } from './duplicate.ts';
import { RetryCampaign } from './retry-campaign.tsx';

interface Given {
  readonly campaign: Campaign;
  /** Told how many never get it. */
  readonly onCancelled: (cancelledJobs: number) => void;
  /** Told why it was not paused or resumed; null: another try begins. */
  readonly onFailed: (error: unknown) => void;
}

/** Pause, resume, cancel and send another like it, as far as its state and the key allow. */
export function CampaignActions({ campaign, onCancelled, onFailed }: Given): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const params = { path: { id: campaign.id } };
  const again = () => queries.invalidateQueries({ queryKey: CAMPAIGNS });
  const toggle = useMutation({
    mutationFn: () =>
      answerOf(campaign.paused ? api.POST('/campaigns/{id}/resume', { params }) : api.POST('/campaigns/{id}/pause', { params })),
    onSuccess: ({ campaign: changed }) => notifyDone(changed.paused ? 'Paused' : 'Resumed'),
    onMutate: () => onFailed(null),
    onError: onFailed,
    onSettled: again,
  });
  const copy = useDuplicate(async () => campaign);
  if (!may('POST /campaigns/{id}/pause')) return <ReadsOnly things="campaigns" doing="changing" operation="POST /campaigns/{id}/pause" />;
  const duplicate = (
    <Button variant="default" leftSection={<IconCopy size={14} />} loading={copy.isPending} onClick={() => copy.mutate()}>
      Duplicate
    </Button>
  );
  if (campaign.status === 'draft') return duplicate;
  if (hasEnded(campaign) && !isAsked)
    return (
      <>
        <RetryCampaign campaign={campaign} />
        {duplicate}
      </>
    );
  return (
    <>
      {campaign.status === 'scheduled' ? (
        <Button component={Link} href={`/${campaign.id}/edit`} variant="default" leftSection={<IconPencil size={14} />}>
          Change
        </Button>
      ) : null}
      <Button
        variant="default"
        leftSection={campaign.paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
        loading={toggle.isPending}
        onClick={() => toggle.mutate()}
      >
        {campaign.paused ? 'Resume' : 'Pause'}
      </Button>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        Cancel campaign…
      </Button>
      {duplicate}
      <CancelQuestion campaign={campaign} opened={isAsked} onClose={() => setIsAsked(false)} onCancelled={onCancelled} />
    </>
  );
}

interface QuestionGiven extends Pick<Given, 'campaign' | 'onCancelled'> {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function CancelQuestion({ campaign, opened, onClose, onCancelled }: QuestionGiven): ReactNode {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => answerOf(api.POST('/campaigns/{id}/cancel', { params: { path: { id: campaign.id } } })),
    onSuccess: ({ cancelledJobs }) => {
      onClose();
      onCancelled(cancelledJobs);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: CAMPAIGNS }),
  });
  const isScheduled = campaign.status === 'scheduled';
  const left = campaign.total_recipients - settledOf(campaign);
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Cancel this campaign?"
      action="Cancel campaign"
      keep={isScheduled ? 'Keep campaign' : 'Keep sending'}
      isFinal
      mutation={cancel}
    >
      <Text size="sm">
        {isScheduled
          ? 'It has not started, so nobody gets it. This cannot be undone.'
          : `${left.toLocaleString('en')} of ${campaign.total_recipients.toLocaleString('en')} recipients have not received it and will not. Emails already sent are not recalled. This cannot be undone. It may take up to 22 seconds, until the mails in flight have their outcome.`}
      </Text>
    </Confirm>
  );
}
