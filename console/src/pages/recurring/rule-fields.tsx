import { Checkbox, Group, MultiSelect, NumberInput, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { IN_OWN_ZONE } from '../../frame/local-time.ts';
import { timeZonesWith } from '../../show/time-zones.ts';
import type { ProblemOf } from '../campaigns/campaign-draft.ts';
import { ThrottleInput } from '../campaigns/throttle-input.tsx';
import { DurationInput } from '../sequences/edit/duration-input.tsx';
import type { RecurringDraft } from './recurring-draft.ts';
import { countProblem, type RuleDraft, untilProblem } from './rule-draft.ts';
import { RulePreview } from './rule-preview.tsx';

const PERIODS: Readonly<Record<RuleDraft['every'], string>> = { day: 'Daily', week: 'Weekly', month: 'Monthly' };
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const LAST_DAY = '-1';
const MONTH_DAYS = [
  ...Array.from({ length: 31 }, (_, index) => ({ value: String(index + 1), label: String(index + 1) })),
  { value: LAST_DAY, label: 'Last day' },
];

interface Given {
  readonly draft: RecurringDraft;
  /** That is changed; undefined: it is new. */
  readonly id: string | undefined;
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<RecurringDraft>) => void;
}

/** When its campaigns run, how long and how fast each goes out, and what the rule comes to. */
export function RuleFields({ draft, id, problemOf, onChange }: Given): ReactNode {
  return (
    <Panel title="Schedule">
      <Stack gap="sm">
        <SegmentedControl
          size="xs"
          w="fit-content"
          maw="100%"
          aria-label="Repeats"
          data={choicesOf(PERIODS)}
          value={draft.every}
          onChange={(every) => onChange({ every: every as RuleDraft['every'] })}
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NumberInput
            label={`Interval in ${draft.every}s`}
            required
            clampBehavior="none"
            value={draft.interval ?? ''}
            error={problemOf('recurrence.interval')}
            onChange={(interval) => onChange({ interval: typeof interval === 'number' ? interval : null })}
          />
          <TextInput
            label="Time"
            type="time"
            required
            value={draft.at}
            error={problemOf('recurrence.at')}
            onChange={(event) => onChange({ at: event.currentTarget.value })}
          />
          <Select
            label="Time zone"
            searchable
            allowDeselect={false}
            limit={60}
            data={timeZonesWith(draft.timezone)}
            value={draft.timezone}
            error={problemOf('recurrence.timezone')}
            onChange={(timezone) => onChange({ timezone: timezone ?? draft.timezone })}
          />
        </SimpleGrid>
        <Days draft={draft} id={id} problemOf={problemOf} onChange={onChange} />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <TextInput
            label="Start date"
            type="datetime-local"
            description={`${IN_OWN_ZONE}. Empty: from now on`}
            value={draft.from}
            error={problemOf('recurrence.from')}
            onChange={(event) => onChange({ from: event.currentTarget.value })}
          />
          <TextInput
            label="End date"
            type="datetime-local"
            description="Nothing runs after it. Empty: until you end it"
            value={draft.until}
            error={untilProblem(draft) ?? problemOf('recurrence.until')}
            onChange={(event) => onChange({ until: event.currentTarget.value })}
          />
          <NumberInput
            label="Number of campaigns"
            description="It ends after so many"
            placeholder="No limit"
            clampBehavior="none"
            value={draft.count ?? ''}
            error={countProblem(draft) ?? problemOf('recurrence.count')}
            onChange={(count) => onChange({ count: typeof count === 'number' ? count : null })}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <div>
            <DurationInput
              label="Stop sending after"
              placeholder="Never"
              usual="60"
              minutes={draft.endsAfterMinutes ?? undefined}
              error={problemOf('endsAfterMinutes')}
              onChange={(minutes) => onChange({ endsAfterMinutes: minutes ?? null })}
            />
            <Text size="xs" c="dimmed" mt={4}>
              Of each run: anyone not reached by then does not get it
            </Text>
          </div>
          <ThrottleInput draft={draft} problemOf={problemOf} onChange={onChange} />
        </SimpleGrid>
        <RulePreview draft={draft} id={id} refused={problemOf('recurrence')} />
      </Stack>
    </Panel>
  );
}

/** On which days of a week or a month. */
function Days({ draft, problemOf, onChange }: Given): ReactNode {
  if (draft.every === 'day') return null;
  if (draft.every === 'month') {
    return (
      <MultiSelect
        label="Days of the month"
        description="A month without such a day has no run on it"
        required
        placeholder={draft.monthDays.length === 0 ? 'Choose days' : undefined}
        data={MONTH_DAYS}
        value={[...draft.monthDays]}
        error={problemOf('recurrence.on')}
        onChange={(monthDays) => onChange({ monthDays })}
      />
    );
  }
  return (
    <Checkbox.Group
      label="Days"
      required
      value={[...draft.weekdays]}
      error={problemOf('recurrence.on')}
      onChange={(weekdays) => onChange({ weekdays })}
    >
      <Group gap="md" mt={6} mb={6}>
        {WEEKDAYS.map((name, index) => (
          <Checkbox key={name} label={name} value={String(index + 1)} error={problemOf('recurrence.on') !== undefined} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
