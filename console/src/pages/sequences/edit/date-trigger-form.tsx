import { Autocomplete, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useVocabulary } from '../../../frame/vocabulary.ts';
import { useSession } from '../../../session/session.tsx';
import { previewQuery } from '../../segments/segment-queries.ts';
import { FaultAt, useFault } from './faults.tsx';
import { problemIn } from './form-problems.ts';
import { type Trigger, type TriggerGiven, unsaidOf } from './trigger-draft.ts';
import { TriggerPart } from './trigger-part.tsx';
import { ZoneFields } from './zone-fields.tsx';

type DateConfig = Extract<Trigger, { kind: 'date' }>['config'];

const ATTRIBUTE = 'attribute';
const DATES = [
  { value: ATTRIBUTE, label: 'Attribute of the contact' },
  { value: 'created_at', label: 'Day the contact was added' },
] as const satisfies readonly { readonly value: typeof ATTRIBUTE | NonNullable<DateConfig['field']>; readonly label: string }[];
const REPEATS = [
  { value: 'year', label: 'Every year' },
  { value: 'once', label: 'Once' },
];
const SIDES = [
  { value: 'on', label: 'On the day' },
  { value: 'daysBefore', label: 'Days before' },
  { value: 'daysAfter', label: 'Days after' },
];
const FIRST_DAYS = 3;
/** What a contact is told by most often that was added some time ago. */
const AFTER = { every: undefined, daysBefore: undefined, daysAfter: FIRST_DAYS };
const TYPING_MS = 400;
const HOW_MANY = 'How many days?';

interface Given extends TriggerGiven<'date'> {
  /** Whether a contact enters the sequence once in its life. */
  readonly isOnceOnly: boolean;
}

/** A date among the attributes on which contacts enter. */
export function DateTriggerForm({ trigger, at, isNew, isOnceOnly, onChange, onRemove }: Given): ReactNode {
  const { config, enabled } = trigger;
  const { field, every, daysBefore, daysAfter, timezone, fallback } = config;
  const attribute = config.attribute ?? '';
  const { attributes } = useVocabulary();
  const fault = useFault(`${at}.attribute`);
  const problem = unsaidOf(trigger).attribute ?? fault;
  const side = daysBefore ? 'daysBefore' : daysAfter ? 'daysAfter' : 'on';
  const daysProblem = problemIn(trigger, 'days');
  const set = (change: { readonly [K in keyof DateConfig]?: DateConfig[K] | undefined }, problems = {}): void => {
    const entries = Object.entries({ ...config, ...change }).filter(([, value]) => value !== undefined);
    onChange({ ...trigger, config: Object.fromEntries(entries) as DateConfig }, problems);
  };
  const holders = useHolders(attribute);
  return (
    <TriggerPart
      name={`date ${field ? 'added' : attribute || '(not chosen)'}`}
      problem={problem}
      enabled={enabled}
      off="This date enrolls nobody"
      onEnabled={(on) => onChange({ ...trigger, enabled: on })}
      onRemove={onRemove}
      field={
        <Stack flex={1} gap={6}>
          <Select
            label="Date"
            size="xs"
            allowDeselect={false}
            data={DATES}
            value={field ?? ATTRIBUTE}
            onChange={(value) =>
              set(value === 'created_at' ? { field: value, attribute: undefined, ...AFTER } : { field: undefined, attribute: '' }, {
                days: undefined,
              })
            }
          />
          {field ? null : (
            <Autocomplete
              label="Date attribute"
              placeholder="birthday"
              size="xs"
              limit={60}
              autoFocus={isNew}
              data={attributes.filter((name) => !name.includes('.'))}
              value={attribute}
              error={problem !== undefined}
              onChange={(name) => set({ attribute: name })}
            />
          )}
        </Stack>
      }
    >
      <Select
        label="Repeat"
        size="xs"
        allowDeselect={false}
        data={REPEATS}
        value={every ?? 'once'}
        onChange={(value) => set({ every: value === 'year' ? value : undefined, ...(field && value !== 'year' ? onceAfter(config) : {}) })}
      />
      {every && isOnceOnly ? (
        <Text size="xs" c="var(--mantine-color-error)" role="status">
          Re-entry is “Never”, so each contact enters in one year only. To enroll every year, let contacts enter again.
        </Text>
      ) : null}
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Select
          label="Day"
          size="xs"
          flex={1}
          allowDeselect={false}
          data={field && !every ? SIDES.filter(({ value }) => value !== 'daysBefore') : SIDES}
          value={side}
          onChange={(value) => {
            const none = { daysBefore: undefined, daysAfter: undefined };
            set({ ...none, ...(value && value !== 'on' ? { [value]: daysBefore ?? daysAfter ?? FIRST_DAYS } : {}) }, { days: undefined });
          }}
        />
        {side === 'on' ? null : (
          <NumberInput
            label="Days"
            size="xs"
            w={96}
            min={1}
            max={365}
            allowDecimal={false}
            allowNegative={false}
            value={daysProblem ? '' : (config[side] ?? '')}
            error={daysProblem}
            onChange={(value) =>
              typeof value === 'number' && value >= 1 ? set({ [side]: value }, { days: undefined }) : set({}, { days: HOW_MANY })
            }
          />
        )}
      </Group>
      <FaultAt path={`${at}.daysBefore`} />
      <FaultAt path={`${at}.daysAfter`} />
      <TextInput
        type="time"
        label="At"
        size="xs"
        required
        withAsterisk={false}
        value={config.at}
        error={config.at ? undefined : unsaidOf(trigger).at}
        onChange={(event) => set({ at: event.currentTarget.value })}
      />
      <ZoneFields timezone={timezone} fallback={fallback} onChange={set} />
      <Text size="xs" c="dimmed">
        {field ? (
          `The day on which the contact was created here, by an import too.${every ? ' The first time is a year later.' : ''}`
        ) : (
          <>
            <span role="status">{holders}</span>A contact without a date in this attribute does not enter. Dates look like 2027-05-14.
          </>
        )}
      </Text>
    </TriggerPart>
  );
}

/** Nobody enters before it was added. */
function onceAfter({ daysBefore, daysAfter }: DateConfig): Pick<DateConfig, 'daysBefore' | 'daysAfter'> {
  return { daysBefore: undefined, daysAfter: daysAfter ?? daysBefore };
}

/** How many contacts have a value in the attribute, in a sentence; '' until that is known. */
function useHolders(attribute: string): string {
  const { may } = useSession();
  const [name] = useDebouncedValue(attribute, TYPING_MS);
  const enabled = name !== '' && name === attribute && may('POST /segments/preview');
  const where = { field: `attributes.${name}`, op: 'exists' as const };
  const { data, isPlaceholderData } = useQuery({ ...previewQuery({ where }, null), enabled });
  if (!enabled || !data || isPlaceholderData) return '';
  return data.count === 1 ? '1 contact has it. ' : `${data.count.toLocaleString('en')} contacts have it. `;
}
