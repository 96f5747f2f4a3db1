import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Status } from '../../show/status.tsx';
import { useCampaignNames } from '../campaigns/campaign-name.ts';
import { pageOf } from '../campaigns/campaign-queries.ts';
import { useRecurringNames } from '../recurring/recurring-name.ts';
import { usesQuery } from './segment-queries.ts';

/** The sequences and the campaigns that a segment is used in, as far as the key may read them. */
export function SegmentUses({ id }: { readonly id: string }): ReactNode {
  const { may } = useSession();
  const { data, error, refetch } = useQuery(usesQuery(id));
  const nameOf = useCampaignNames(data?.campaigns);
  const recurringNameOf = useRecurringNames();
  if (!error && (!data || (data.sequenceCount === null && data.campaignCount === null))) return null;
  const isUnused = data && data.sequences.length + data.campaigns.length + data.recurringCampaigns.length === 0;
  return (
    <Panel title="Used in">
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data ? (
        <Stack gap="sm">
          {isUnused ? (
            <Text size="sm" c="dimmed">
              {unusedWords(data.sequenceCount !== null, data.campaignCount !== null)}
            </Text>
          ) : null}
          {data.sequences.map(({ key, name, status, isTrigger, isCondition }) => (
            <Use key={key} to={`/sequences/${encodeURIComponent(key)}`} name={name} status={status}>
              Sequence, {[isTrigger && 'trigger', isCondition && 'condition'].filter(Boolean).join(' and ')}
            </Use>
          ))}
          <More count={data.sequenceCount} shown={data.sequences.length} of="sequence" />
          {data.campaigns.map((campaign) => (
            <Use
              key={campaign.id}
              to={`/campaigns${pageOf(campaign, may('PATCH /campaigns/{id}'))}`}
              name={nameOf(campaign)}
              status={campaign.status}
            >
              Campaign
            </Use>
          ))}
          <More count={data.campaignCount} shown={data.campaigns.length} of="campaign" />
          {data.recurringCampaigns.map((recurring) => (
            <Use key={recurring.id} to={`/recurring-campaigns/${recurring.id}`} name={recurringNameOf(recurring)} status={recurring.status}>
              Recurring campaign
            </Use>
          ))}
          <More count={data.recurringCount} shown={data.recurringCampaigns.length} of="recurring campaign" />
        </Stack>
      ) : null}
    </Panel>
  );
}

interface UseGiven {
  readonly to: string;
  readonly name: string;
  readonly status: Schemas['SequenceStatus'] | Schemas['CampaignStatus'] | Schemas['RecurringCampaignStatus'];
  /** What it is. */
  readonly children: ReactNode;
}

function Use({ to, name, status, children }: UseGiven): ReactNode {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <div style={{ minWidth: 0 }}>
        <Anchor component={Link} href={inConsole(to)} size="sm" c="inherit" truncate display="block">
          {name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {children}
        </Text>
      </div>
      <Status value={status} />
    </Group>
  );
}

function More({ count, shown, of }: { readonly count: number | null; readonly shown: number; readonly of: string }): ReactNode {
  const more = (count ?? 0) - shown;
  return more > 0 ? (
    <Text size="sm" c="dimmed">
      and {more.toLocaleString('en')} more {more === 1 ? of : `${of}s`}
    </Text>
  ) : null;
}

/** What it is not used in, of what the key may read. */
function unusedWords(readsSequences: boolean, readsCampaigns: boolean): string {
  const sorts = [readsSequences && 'sequence', readsCampaigns && 'draft, scheduled or recurring campaign'].filter(Boolean);
  return `No ${sorts.join(' and no ')} uses it.`;
}
