import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { Clamped } from '../../show/clamped.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { Time } from '../../show/time.tsx';
import { useAudienceNow } from '../campaigns/audience-count.tsx';
import { useLacksSegment } from '../campaigns/audience-name.tsx';
import { settledOf } from '../campaigns/campaign-counts.ts';
import { useCampaignName } from '../campaigns/campaign-name.ts';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import classes from './home.module.css';
import type { Campaign } from './home-queries.ts';

/** Campaigns that are on their way or will be; nothing when there are none. */
export function RunningCampaigns({ campaigns }: { readonly campaigns: readonly Campaign[] }): ReactNode {
  if (campaigns.length === 0) return null;
  return (
    <Panel title="Running and scheduled campaigns">
      <Stack gap="md">
        {campaigns.map((campaign) => (
          <RunningCampaign key={campaign.id} campaign={campaign} />
        ))}
      </Stack>
    </Panel>
  );
}

function RunningCampaign({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const { id, status, sent_count: sent, total_recipients: total, scheduled_at: scheduledAt } = campaign;
  const name = useCampaignName(campaign);
  const settled = settledOf(campaign);
  return (
    <div>
      <Group justify="space-between" gap="sm" mb={status === 'scheduled' ? 0 : 6}>
        <Group gap="sm" miw={0}>
          <Anchor component={Link} href={inConsole(`/campaigns/${id}`)} size="sm" className={classes.name}>
            <Clamped>{name}</Clamped>
          </Anchor>
          <CampaignStatus campaign={campaign} />
          {campaign.sandboxed ? <Sandboxed what="campaign" /> : null}
        </Group>
        <Text size="sm" c="dimmed">
          {status === 'scheduled' && scheduledAt ? (
            <>
              <NobodyYet campaign={campaign} /> <Time at={scheduledAt} isExact />
            </>
          ) : (
            `${sent.toLocaleString('en')} of ${total.toLocaleString('en')} sent${settled > sent ? `, ${(settled - sent).toLocaleString('en')} not` : ''}`
          )}
        </Text>
      </Group>
      {status === 'scheduled' ? null : (
        <Progress value={total > 0 ? (100 * settled) / total : 0} size="sm" aria-label={`Progress of ${name}`} />
      )}
      {campaign.allowance ? (
        <Text size="sm" c="dimmed" mt={4}>
          Today's allowance of {campaign.allowance.name} is used. It goes on <Time at={campaign.allowance.resumes_at} />.
        </Text>
      ) : null}
    </div>
  );
}

function NobodyYet({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const now = useAudienceNow(campaign);
  const lacksSegment = useLacksSegment(campaign.audience);
  if (lacksSegment) return 'To nobody (its segment was deleted).';
  return now ? `To ${now} now, counted when it starts` : 'Begins';
}
