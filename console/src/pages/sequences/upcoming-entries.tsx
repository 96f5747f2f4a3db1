import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import { Fact } from '../../frame/detail.tsx';
import { durationWords } from '../../show/duration-words.ts';
import { Time } from '../../show/time.tsx';
import { dateEntriesQuery } from './sequence-queries.ts';
import { dateWords } from './settings-words.ts';

type Upcoming = Schemas['UpcomingEntries'];

/** Who enters next by each date of an active sequence, as far as that is planned. */
export function UpcomingEntries({ sequence }: { readonly sequence: string }): ReactNode {
  const { data } = useQuery(dateEntriesQuery(sequence));
  if (!data) return null;
  const { dates, aheadMinutes } = data;
  return dates.map((date) => (
    <Fact key={dateWords(date.config)} name="Next by date">
      {dates.length > 1 ? (
        <Text size="xs" c="dimmed">
          {dateWords(date.config)}
        </Text>
      ) : null}
      <Next of={date} within={durationWords(aheadMinutes)} />
      <Text size="xs" c="dimmed">
        {date.lookAt ? (
          <>
            dates are checked again <Time at={date.lookAt} />
          </>
        ) : (
          'dates are being checked now'
        )}
      </Text>
    </Fact>
  ));
}

function Next({ of: { next, planned }, within }: { readonly of: Upcoming; readonly within: string }): ReactNode {
  if (!next) return `nobody within ${within}`;
  const rest = planned - next.count;
  return (
    <>
      {contacts(next.count)} on <Time at={next.at} isExact />
      {rest > 0 ? `, ${rest.toLocaleString('en')} more within ${within}` : ''}
    </>
  );
}

function contacts(count: number): string {
  return count === 1 ? '1 contact' : `${count.toLocaleString('en')} contacts`;
}
