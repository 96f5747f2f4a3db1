import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../session/session.tsx';
import type { CountedCampaign } from './campaign-queries.ts';
import classes from './campaigns.module.css';
import { LEFT_OUT, leftOutByReason } from './left-out-words.ts';

/** How many a campaign left out for each reason, leading to who they are. Nothing where it left out nobody. */
export function LeftOutReasons({ campaign: { id, left_out } }: { readonly campaign: CountedCampaign }): ReactNode {
  const { may } = useSession();
  const reasons = leftOutByReason(left_out);
  if (reasons.length === 0) return null;
  const mayList = may('GET /campaigns/{id}/people');
  return (
    <ul className={classes.leftOut} aria-label="Left out by reason">
      {reasons.map(({ reason, count }) => (
        <li key={reason}>
          {/* Contacts that were deleted are in no list. */}
          {mayList && reason !== 'erased' ? (
            <Anchor component={Link} href={`/${id}/left-out?reason=${reason}`} inherit>
              {LEFT_OUT[reason]}
            </Anchor>
          ) : (
            LEFT_OUT[reason]
          )}
          <Text span inherit c="dimmed">
            {count.toLocaleString('en')}
          </Text>
        </li>
      ))}
    </ul>
  );
}
