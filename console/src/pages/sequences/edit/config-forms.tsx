import { Autocomplete, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EventTypeInput } from '../../../frame/event-type-input.tsx';
import { templateKeysQuery } from '../../sends/send-queries.ts';
import type { ConfigOf, NodeKind } from '../graph/node-words.ts';
import { sequencesQuery } from '../sequence-queries.ts';
import { BranchForm, fitsBranch } from './branch-form.tsx';
import { type Condition, ConditionField, isCondition } from './condition-field.tsx';
import type { Config, ConfigForm, FormGiven } from './config-form.ts';
import { DurationInput } from './duration-input.tsx';
import { FIRST_RULE } from './graph-draft.ts';
import { MailData } from './mail-data.tsx';
import { SplitForm } from './split-form.tsx';
import { TimeForm, type TimeOfWait } from './time-form.tsx';
import { fitsUpdate, UpdateContactForm } from './update-contact-form.tsx';

/** The forms of the kinds that have one. What a form has no field for it leaves as it is. */
export const FORMS: Readonly<Partial<Record<NodeKind, ConfigForm>>> = {
  send_email: { Form: SendForm, fits: ({ template }) => typeof template === 'string' },
  wait_delay: { Form: DelayForm, fits: ({ minutes }) => typeof minutes === 'number' },
  wait_until: { Form: WaitForm, fits: fitsWait },
  branch: { Form: BranchForm, fits: fitsBranch },
  split: { Form: SplitForm, fits: ({ arms }) => Array.isArray(arms) && arms.length > 1 && arms.every(isArm) },
  update_contact: { Form: UpdateContactForm, fits: fitsUpdate },
  webhook: { Form: CallForm, fits: ({ url }) => typeof url === 'string' },
  subflow: { Form: SubflowForm, fits: ({ sequenceKey }) => typeof sequenceKey === 'string' },
  goal: { Form: GoalForm, fits: ({ condition }) => condition === undefined || isCondition(condition) },
};

function isArm({ key, weight = 1 }: { readonly key?: unknown; readonly weight?: unknown }): boolean {
  return typeof key === 'string' && typeof weight === 'number';
}

function fitsWait({ event, condition, timeoutMinutes, time }: Config): boolean {
  if (time !== undefined) return typeof time === 'object' && time !== null;
  const { type, match } = (event ?? {}) as { readonly type?: unknown; readonly match?: unknown };
  const isEvent = typeof type === 'string' && (match === undefined || isCondition(match));
  return typeof timeoutMinutes === 'number' && (event === undefined ? isCondition(condition) : isEvent);
}

/** The same settings with one changed; '' takes it out. */
function withField(config: Config, name: string, value: unknown): Config {
  const { [name]: _, ...rest } = config;
  return value === '' || value === null || value === undefined ? rest : { ...rest, [name]: value };
}

function SendForm({ config, onChange }: FormGiven): ReactNode {
  const { template, subject = '', type, brand, data } = config as ConfigOf<'send_email'>;
  const { data: templates = [] } = useQuery(templateKeysQuery());
  return (
    <Stack gap="sm">
      <Autocomplete
        label="Template"
        size="xs"
        data={templates}
        value={template}
        // What was wrong with the data was so for the fields of that template.
        onChange={(value) => onChange({ ...config, template: value }, { problem: undefined })}
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
      {templates.includes(template) ? (
        <MailData
          key={template}
          template={template}
          brand={brand ?? undefined}
          data={data ?? undefined}
          onChange={(next, problem) => onChange(withField(config, 'data', next), { problem })}
        />
      ) : null}
    </Stack>
  );
}

function DelayForm({ config, onChange }: FormGiven): ReactNode {
  const { minutes } = config as ConfigOf<'wait_delay'>;
  return (
    <DurationInput
      label="Wait"
      minutes={minutes}
      onChange={(value) => {
        if (value !== undefined) onChange({ ...config, minutes: value });
      }}
    />
  );
}

function WaitForm({ config, onChange }: FormGiven): ReactNode {
  const {
    event,
    condition,
    time,
    timeoutMinutes = 1440,
  } = config as {
    readonly event?: { readonly type: string; readonly match?: Condition };
    readonly condition?: Condition;
    readonly time?: TimeOfWait;
    readonly timeoutMinutes?: number;
  };
  const now = event ? 'event' : time ? 'time' : 'condition';
  const before = event ? 'event' : 'met';
  const waitFor = (what: string | null): void => {
    if (what === now) return;
    if (what === 'time') onChange({ time: { at: '09:00', timezone: 'contact' } }, { problem: undefined, outcome: { only: before } });
    else if (what === 'event')
      onChange({ event: { type: '' }, timeoutMinutes }, { problem: undefined, outcome: { renamed: 'met', to: 'event' } });
    else onChange({ condition: FIRST_RULE, timeoutMinutes }, { problem: undefined, outcome: { renamed: 'event', to: 'met' } });
  };
  return (
    <Stack gap="sm">
      <Select
        label="Wait for"
        size="xs"
        allowDeselect={false}
        data={[
          { value: 'event', label: 'An event' },
          { value: 'condition', label: 'A condition of the contact' },
          { value: 'time', label: 'A time of day' },
        ]}
        value={now}
        onChange={waitFor}
      />
      {event ? (
        <>
          <EventTypeInput
            label="Event"
            placeholder="order_paid"
            value={event.type}
            onChange={(type) => onChange({ ...config, event: { ...event, type } })}
          />
          <ConditionField
            label="Only if"
            whenEmpty="Any such event"
            condition={event.match}
            hasEvent
            onChange={(match, problem) => onChange({ ...config, event: { type: event.type, ...(match ? { match } : {}) } }, { problem })}
          />
        </>
      ) : time ? (
        <TimeForm time={time} onChange={(next) => onChange({ time: next })} />
      ) : (
        <ConditionField
          label="Until"
          condition={condition}
          isRequired
          onChange={(next, problem) => onChange({ ...config, condition: next }, { problem })}
        />
      )}
      {time ? null : (
        <DurationInput
          label="At most"
          minutes={timeoutMinutes}
          onChange={(value) => {
            if (value !== undefined) onChange({ ...config, timeoutMinutes: value });
          }}
        />
      )}
    </Stack>
  );
}

function GoalForm({ config, onChange }: FormGiven): ReactNode {
  const { condition } = config as { readonly condition?: Condition };
  return (
    <ConditionField
      label="Reached, if"
      whenEmpty="By everybody who comes here"
      condition={condition}
      hasEvent
      onChange={(next, problem) => onChange(next ? { condition: next } : {}, { problem })}
    />
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
