import { Anchor, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { keysOf } from '../../frame/choices.ts';
import { leftOutCount } from '../campaigns/left-out-words.ts';

/** Why a run went on without an email. */
export const MAIL_LEFT_OUT: Readonly<Record<Schemas['MailLeftOutReason'], string>> = {
  suppressed: 'Suppressed',
  unsubscribed: 'Unsubscribed',
  bounced: 'Bounced',
  unconfirmed: 'Not confirmed',
  topic_off: 'Topic off',
  erased: 'Contact deleted',
  frequency_cap: 'Frequency cap',
  other: 'Other reason',
};

/** How many they are in all. */
export function leftOutRuns(counts: Schemas['MailLeftOutCounts'] | null): number {
  return leftOutCount(counts ?? {});
}

interface Given {
  readonly sequence: string;
  readonly counts: Schemas['MailLeftOutCounts'];
  /** At which step alone; undefined: at any. */
  readonly nodeId?: string | undefined;
  /** Of which version alone; undefined: of any. */
  readonly version?: number | undefined;
}

/** How many runs went on without an email for each reason, leading to them. */
export function LeftOutRuns({ sequence, counts, nodeId, version }: Given): ReactNode {
  const reasons = keysOf(MAIL_LEFT_OUT).filter((reason) => counts[reason] > 0);
  return reasons.map((reason, index) => {
    const filters = new URLSearchParams({
      leftOut: reason,
      ...(nodeId === undefined ? {} : { leftOutAt: nodeId }),
      ...(version === undefined ? {} : { version: String(version) }),
    });
    return (
      <Fragment key={reason}>
        {index > 0 ? ', ' : ''}
        <Anchor component={Link} href={`/${sequence}/runs?${filters}`} inherit>
          {MAIL_LEFT_OUT[reason]}
        </Anchor>{' '}
        <Text span inherit c="dimmed">
          {counts[reason].toLocaleString('en')}
        </Text>
      </Fragment>
    );
  });
}
