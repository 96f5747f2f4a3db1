import { Autocomplete, Group, NumberInput, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useState } from 'react';
import { fromDraft, toDraft } from '../../segments/condition-draft.ts';
import { GroupEditor } from '../../segments/group-editor.tsx';
import { templateKeysQuery } from '../../sends/send-queries.ts';
import type { ConfigOf, GraphNode, NodeKind } from '../graph/node-words.ts';
import { sequencesQuery } from '../sequence-queries.ts';

type Config = NonNullable<GraphNode['config']>;

interface FormGiven {
  readonly config: Config;
  readonly onChange: (config: Config) => void;
}

interface ConfigForm {
  readonly Form: ComponentType<FormGiven>;
  /** Whether the form shows all that such settings decide. */
  readonly fits: (config: Config) => boolean;
}

/** The forms of the kinds that have one. What a form has no field for it leaves as it is. */
export const FORMS: Readonly<Partial<Record<NodeKind, ConfigForm>>> = {
  send_email: { Form: SendForm, fits: ({ template }) => typeof template === 'string' },
  wait_delay: { Form: DelayForm, fits: ({ minutes }) => typeof minutes === 'number' },
  wait_until: { Form: EventForm, fits: ({ event }) => typeof (event as { type?: unknown } | undefined)?.type === 'string' },
  branch: { Form: BranchForm, fits: ({ when }) => isCondition(when) },
  update_contact: { Form: TagsForm, fits: ({ addTags, removeTags }) => isTexts(addTags ?? []) && isTexts(removeTags ?? []) },
  webhook: { Form: CallForm, fits: ({ url }) => typeof url === 'string' },
  subflow: { Form: SubflowForm, fits: ({ sequenceKey }) => typeof sequenceKey === 'string' },
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Whether the editor of conditions can read it. */
function isCondition(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    toDraft(value as never);
    return true;
  } catch {
    return false;
  }
}

/** The same settings with one changed; '' takes it out. */
function withField(config: Config, name: string, value: unknown): Config {
  const { [name]: _, ...rest } = config;
  return value === '' || value === null || value === undefined ? rest : { ...rest, [name]: value };
}

function SendForm({ config, onChange }: FormGiven): ReactNode {
  const { template, subject = '', type } = config as ConfigOf<'send_email'>;
  const { data: templates = [] } = useQuery(templateKeysQuery());
  return (
    <Stack gap="sm">
      <Autocomplete
        label="Template"
        size="xs"
        data={templates}
        value={template}
        onChange={(value) => onChange({ ...config, template: value })}
      />
      <TextInput
        label="Subject"
        placeholder="As the template has it"
        size="xs"
        value={subject}
        onChange={(event) => onChange(withField(config, 'subject', event.currentTarget.value))}
      />
      <Select
        label="Type"
        placeholder="As the template has it"
        size="xs"
        clearable
        data={[
          { value: 'transactional', label: 'Transactional' },
          { value: 'marketing', label: 'Marketing' },
        ]}
        value={type ?? null}
        onChange={(value) => onChange(withField(config, 'type', value))}
      />
    </Stack>
  );
}

function DelayForm({ config, onChange }: FormGiven): ReactNode {
  const { minutes } = config as ConfigOf<'wait_delay'>;
  return <Minutes label="Wait" minutes={minutes} onChange={(value) => onChange({ ...config, minutes: value })} />;
}

const UNITS = [
  { value: '1', label: 'minutes' },
  { value: '60', label: 'hours' },
  { value: '1440', label: 'days' },
];

function Minutes({
  label,
  minutes,
  onChange,
}: {
  readonly label: string;
  readonly minutes: number;
  readonly onChange: (minutes: number) => void;
}): ReactNode {
  const [unit, setUnit] = useState(() => ['1440', '60'].find((one) => minutes > 0 && minutes % Number(one) === 0) ?? '1');
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <NumberInput
        label={label}
        size="xs"
        flex={1}
        min={0}
        value={minutes / Number(unit)}
        onChange={(value) => typeof value === 'number' && onChange(value * Number(unit))}
      />
      <Select
        aria-label={`Unit of ${label}`}
        size="xs"
        w={104}
        allowDeselect={false}
        data={UNITS}
        value={unit}
        onChange={(value) => {
          if (!value) return;
          onChange((minutes / Number(unit)) * Number(value));
          setUnit(value);
        }}
      />
    </Group>
  );
}

function EventForm({ config, onChange }: FormGiven): ReactNode {
  const { event, timeoutMinutes } = config as Extract<ConfigOf<'wait_until'>, { event: unknown }>;
  return (
    <Stack gap="sm">
      <TextInput
        label="Event"
        placeholder="order_paid"
        size="xs"
        value={event.type}
        onChange={({ currentTarget }) => onChange({ ...config, event: { ...event, type: currentTarget.value } })}
      />
      <Minutes label="At most" minutes={timeoutMinutes} onChange={(value) => onChange({ ...config, timeoutMinutes: value })} />
      <Text size="xs" c="dimmed">
        {event.match ? 'Only events that match: see JSON.' : 'A wait for a condition or a time of day is set as JSON.'}
      </Text>
    </Stack>
  );
}

function BranchForm({ config, onChange }: FormGiven): ReactNode {
  const { when } = config as Extract<ConfigOf<'branch'>, { when: unknown }>;
  const [shown, setShown] = useState(when);
  const [group, setGroup] = useState(() => toDraft(when));
  // Undone, or changed otherwise.
  if (when !== shown) {
    setShown(when);
    setGroup(toDraft(when));
  }
  return (
    <Stack gap={6}>
      <Text size="xs" fw={500}>
        Yes, if
      </Text>
      <GroupEditor
        group={group}
        onChange={(next) => {
          const condition = fromDraft(next).condition ?? when;
          setGroup(next);
          setShown(condition);
          onChange({ ...config, when: condition });
        }}
      />
    </Stack>
  );
}

function TagsForm({ config, onChange }: FormGiven): ReactNode {
  const { addTags = [], removeTags = [], set, status } = config as ConfigOf<'update_contact'>;
  return (
    <Stack gap="sm">
      <TagsInput label="Add tags" size="xs" value={addTags} onChange={(tags) => onChange({ ...config, addTags: tags })} />
      <TagsInput label="Remove tags" size="xs" value={removeTags} onChange={(tags) => onChange({ ...config, removeTags: tags })} />
      <Text size="xs" c="dimmed">
        {set || status ? 'It sets more: see JSON.' : 'Fields and attributes are set as JSON.'}
      </Text>
    </Stack>
  );
}

function CallForm({ config, onChange }: FormGiven): ReactNode {
  const { url, method = 'POST', onError = 'continue' } = config as ConfigOf<'webhook'>;
  return (
    <Stack gap="sm">
      <Select
        label="Method"
        size="xs"
        allowDeselect={false}
        data={['POST', 'PUT', 'PATCH', 'GET']}
        value={method}
        onChange={(value) => onChange({ ...config, method: value })}
      />
      <TextInput label="URL" size="xs" value={url} onChange={(event) => onChange({ ...config, url: event.currentTarget.value })} />
      <Select
        label="When it fails"
        size="xs"
        allowDeselect={false}
        data={[
          { value: 'continue', label: 'Go on' },
          { value: 'fail', label: 'End the run' },
        ]}
        value={onError}
        onChange={(value) => onChange({ ...config, onError: value })}
      />
      <Text size="xs" c="dimmed">
        Headers and body are set as JSON.
      </Text>
    </Stack>
  );
}

function SubflowForm({ config, onChange }: FormGiven): ReactNode {
  const { sequenceKey, mode = 'enroll' } = config as ConfigOf<'subflow'>;
  const { data: sequences = [] } = useQuery(sequencesQuery());
  return (
    <Stack gap="sm">
      <Autocomplete
        label="Sequence"
        size="xs"
        data={sequences.map(({ key }) => key)}
        value={sequenceKey}
        onChange={(value) => onChange({ ...config, sequenceKey: value })}
      />
      <Select
        label="And then"
        size="xs"
        allowDeselect={false}
        data={[
          { value: 'enroll', label: 'Go on at once' },
          { value: 'wait', label: 'Wait for its end' },
        ]}
        value={mode}
        onChange={(value) => onChange({ ...config, mode: value })}
      />
    </Stack>
  );
}
