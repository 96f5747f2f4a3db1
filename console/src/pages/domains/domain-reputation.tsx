import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { rateWords } from '../../show/percent.ts';
import { reputationQuery } from '../reputation/reputation-queries.ts';
import { ReputationState } from '../reputation/reputation-state.tsx';
import type { DomainWithRecords } from './domain-queries.ts';

/** What became of the mails from this very domain in the last 7 days; nothing to a key that may not read it. */
export function DomainReputation({ domain: { domain } }: { readonly domain: Pick<DomainWithRecords, 'domain'> }): ReactNode {
  const { may } = useSession();
  const { data } = useQuery({ ...reputationQuery('domain'), enabled: may('GET /stats') });
  if (!data) return null;
  const own = data.rows.find(({ name }) => name === domain);
  return (
    <Panel
      title="Reputation"
      action={
        <Anchor component={Link} href={inConsole('/reputation')} size="sm">
          All domains
        </Anchor>
      }
    >
      {own ? (
        <Facts>
          <Fact name="Last 7 days">
            <ReputationState state={own.state} />
          </Fact>
          <Fact name="Sent">{own.sent.toLocaleString('en')}</Fact>
          <Fact name="Bounced">{rateWords(own.bounce_rate)}</Fact>
          <Fact name="Complaints">{rateWords(own.complaint_rate)}</Fact>
        </Facts>
      ) : (
        <Text size="sm" c="dimmed">
          No emails were sent from it in the last 7 days.
        </Text>
      )}
    </Panel>
  );
}
