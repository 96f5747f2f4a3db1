import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../frame/choices.ts';
import { timeZonesWith } from '../../show/time-zones.ts';
import type { ProblemOf } from './campaign-draft.ts';
import { type LocalSchedule, type LocalStartDraft, localDateProblem, localStartOf, spanWords } from './local-start.ts';

const LATE: Readonly<Record<LocalSchedule['late'], string>> = { send: 'Send at once', skip: 'Leave out' };

interface Given {
  readonly start: LocalStartDraft;
  /** When it ends, as an input has it; empty: when everybody has had it. */
  readonly endsAt: string;
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<LocalStartDraft>) => void;
}

/** A time of the day that each recipient's own clock shows, and from when until when that is. */
export function LocalStartFields({ start, endsAt, problemOf, onChange }: Given): ReactNode {
  const { localDate, localAt, fallback, late } = start;
  const schedule = localStartOf(start);
  const problem = localDateProblem(start);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Start date"
          type="date"
          required
          value={localDate}
          error={problem ?? problemOf('schedule.date')}
          onChange={(event) => onChange({ localDate: event.currentTarget.value })}
        />
        <TextInput
          label="Local time"
          type="time"
          required
          value={localAt}
          error={problemOf('schedule.at')}
          onChange={(event) => onChange({ localAt: event.currentTarget.value })}
        />
        <Select
          label="Without a time zone"
          description="Contacts that have none get it by this one"
          searchable
          allowDeselect={false}
          limit={60}
          data={timeZonesWith(fallback)}
          value={fallback}
          error={problemOf('schedule.fallback')}
          onChange={(zone) => onChange({ fallback: zone ?? fallback })}
        />
        <Select
          label="Where that has passed"
          description="In time zones where it is later at launch"
          allowDeselect={false}
          data={choicesOf(LATE)}
          value={late}
          error={problemOf('schedule.late')}
          onChange={(rule) => onChange({ late: (rule ?? late) as LocalSchedule['late'] })}
        />
      </SimpleGrid>
      {schedule && !problem ? (
        <Text size="sm" role="status">
          {spanWords(schedule, endsAt)}
        </Text>
      ) : null}
    </>
  );
}
