import { Chip, Group, Input, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { type SendWindow, WEEKDAYS, windowWords } from '../show/send-window-words.ts';
import { timeZonesWith } from '../show/time-zones.ts';
import { choicesOf } from './choices.ts';
import { VIEWER_ZONE } from './local-time.ts';

/** What a sequence or a campaign says of its own; null: the project's is theirs. */
export type WindowChoice = Schemas['SendWindowChosen'] | null;

export const OFFICE_HOURS: SendWindow = {
  ...{ from: '09:00', to: '18:00', days: [1, 2, 3, 4, 5], timezone: 'contact', fallback: VIEWER_ZONE, transactional: false },
};

/** The end of the day, which an input of a time has no other way to say. */
const [MIDNIGHT, END_OF_DAY] = ['00:00', '24:00'];
const ALL_DAYS = WEEKDAYS.length;
const THEIRS = { value: 'contact', label: "Recipient's own" };

/** What is missing or wrong, by the names of the fields within the window. */
export function windowFaults({ from, to }: SendWindow): Readonly<Record<string, string | undefined>> {
  return {
    from: from ? undefined : 'Choose a time',
    to: to ? (from === to ? 'Choose another time than it opens' : undefined) : 'Choose a time',
  };
}

interface Given {
  readonly window: SendWindow;
  readonly onChange: (window: SendWindow) => void;
  /** What to say at a field, by its name within the window. */
  readonly errorOf: (name: string) => string | undefined;
  readonly size?: 'xs' | 'sm';
}

/** The hours and days in which mails go, and by whose clock. */
export function WindowFields({ window, onChange, errorOf, size = 'sm' }: Given): ReactNode {
  const { from, to, days, timezone, fallback, transactional } = window;
  const set = (change: Partial<SendWindow>): void => onChange({ ...window, ...change });
  // None chosen would be never: the last one stays.
  const chosen = (next: readonly string[]): void => {
    const { days: _, ...others } = window;
    const kept = next.map(Number).toSorted((a, b) => a - b);
    if (kept.length > 0) onChange(kept.length === ALL_DAYS ? others : { ...others, days: kept });
  };
  return (
    <Stack gap="sm">
      <SimpleGrid cols={2} spacing="sm">
        <TextInput
          type="time"
          label="Opens"
          required
          size={size}
          value={from}
          error={errorOf('from')}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
        <TextInput
          type="time"
          label="Closes"
          required
          size={size}
          value={to === END_OF_DAY ? MIDNIGHT : to}
          error={errorOf('to')}
          onChange={({ currentTarget: { value } }) => set({ to: value === MIDNIGHT ? END_OF_DAY : value })}
        />
      </SimpleGrid>
      <Input.Wrapper label="Days" size={size} error={errorOf('days')}>
        <Chip.Group multiple value={(days ?? WEEKDAYS.map((_, index) => index + 1)).map(String)} onChange={chosen}>
          <Group gap={4} role="group" aria-label="Days">
            {WEEKDAYS.map((name, index) => (
              <Chip key={name} value={String(index + 1)} size="xs">
                {name}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
      <SimpleGrid cols={{ base: 1, xs: timezone === THEIRS.value && size === 'sm' ? 2 : 1 }} spacing="sm">
        <Select
          label="Time zone"
          size={size}
          searchable
          allowDeselect={false}
          limit={60}
          data={[THEIRS, ...timeZonesWith(timezone === THEIRS.value ? undefined : timezone)]}
          value={timezone}
          error={errorOf('timezone')}
          onChange={(zone) => set({ timezone: zone ?? timezone })}
        />
        {timezone === THEIRS.value ? (
          <Select
            label="If unknown"
            size={size}
            searchable
            allowDeselect={false}
            limit={60}
            data={timeZonesWith(fallback)}
            value={fallback}
            error={errorOf('fallback')}
            onChange={(zone) => set({ fallback: zone ?? fallback })}
          />
        ) : null}
      </SimpleGrid>
      <Switch
        size="xs"
        label="Transactional emails wait, too"
        checked={transactional}
        onChange={(event) => set({ transactional: event.currentTarget.checked })}
      />
    </Stack>
  );
}

const CHOICES = { project: "The project's", own: 'Its own', none: 'At any time' } as const;

interface ChoiceGiven extends Pick<Given, 'errorOf' | 'size'> {
  readonly choice: WindowChoice;
  readonly ofProject: SendWindow | null;
  readonly onChange: (choice: WindowChoice) => void;
}

/** Whether a sequence or a campaign goes by the window of its project, by one of its own, or by none. */
export function WindowChoiceFields({ choice, ofProject, onChange, errorOf, size = 'sm' }: ChoiceGiven): ReactNode {
  const chosen = choice === null ? 'project' : choice === 'none' ? 'none' : 'own';
  const choose = (next: string | null): void => {
    if (next === 'project') onChange(null);
    else if (next === 'none') onChange('none');
    else if (chosen !== 'own') onChange(ofProject ?? OFFICE_HOURS);
  };
  return (
    <Stack gap="sm" role="group" aria-label="Send window">
      <Select
        label="Send window"
        description={chosen === 'project' ? ofProjectWords(ofProject) : undefined}
        size={size}
        allowDeselect={false}
        data={choicesOf(CHOICES)}
        value={chosen}
        onChange={choose}
      />
      {choice !== null && choice !== 'none' ? <WindowFields window={choice} onChange={onChange} errorOf={errorOf} size={size} /> : null}
    </Stack>
  );
}

function ofProjectWords(window: SendWindow | null): string {
  return window ? `Marketing email goes ${windowWords(window)}` : 'Email goes at any time: the project has no send window';
}
