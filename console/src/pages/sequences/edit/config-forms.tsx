import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { EventTypeInput } from '../../../frame/event-type-input.tsx';
import { namedChoice } from '../../../frame/named-choice.ts';
import { useSession } from '../../../session/session.tsx';
import { templatesQuery } from '../../templates/template-queries.ts';
import type { ConfigOf, NodeKind } from '../graph/node-words.ts';
import { sequencesQuery } from '../sequence-queries.ts';
import { BranchForm, fitsBranch } from './branch-form.tsx';
import { type Condition, ConditionField, isCondition } from './condition-field.tsx';
import type { Config, ConfigForm, FormGiven } from './config-form.ts';
import type { Data } from './data-paths.ts';
import { DurationInput } from './duration-input.tsx';
import { useFault } from './faults.tsx';
import { problemIn } from './form-problems.ts';
import { FIRST_RULE } from './graph-draft.ts';
import { MailData } from './mail-data.tsx';
import { SplitForm } from './split-form.tsx';
import { TimeForm, type TimeOfWait } from './time-form.tsx';
import { fitsUpdate, UpdateContactForm } from './update-contact-form.tsx';

/** The forms of the kinds that have one. What a form has no field for it leaves as it is. */
export const FORMS: Readonly<Partial<Record<NodeKind, ConfigForm>>> = {
  send_email: {
    Form: SendForm,
    fits: ({ template }) => typeof template === 'string',
    fields: ['template', 'subject', 'type', 'brand', 'data'],
  },
  wait_delay: { Form: DelayForm, fits: ({ minutes }) => typeof minutes === 'number', fields: ['minutes'] },
  wait_until: { Form: WaitForm, fits: fitsWait, fields: ['event', 'condition', 'timeoutMinutes', 'time'] },
  branch: { Form: BranchForm, fits: fitsBranch, fields: ['when', 'branches'] },
  split: { Form: SplitForm, fits: ({ arms }) => Array.isArray(arms) && arms.length > 1 && arms.every(isArm), fields: ['arms'] },
  update_contact: { Form: UpdateContactForm, fits: fitsUpdate, fields: [] },
  webhook: { Form: CallForm, fits: ({ url }) => typeof url === 'string', fields: ['method', 'url', 'onError'] },
  subflow: { Form: SubflowForm, fits: ({ sequenceKey }) => typeof sequenceKey === 'string', fields: ['sequenceKey', 'mode'] },
  goal: { Form: GoalForm, fits: ({ condition }) => condition === undefined || isCondition(condition), fields: ['condition'] },
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
  const { brands } = useSession();
  const { data: templates } = useQuery(templatesQuery(brand ?? undefined));
  const [before, setBefore] = useState<Before>();
  const brandFault = useFault('brand');
  const chosen = templates?.find(({ key }) => key === template);
  const choose = (next: string | null): void => {
    if (next === null || next === template) return;
    setBefore({ data: data ?? undefined, next });
    // What was wrong with the data was so for the fields of that template.
    onChange({ ...config, template: next }, { problems: { data: undefined } });
  };
  return (
    <Stack gap="sm">
      <Select
        label="Template"
        placeholder={templates ? 'Choose a template' : 'Reading templates'}
        size="xs"
        searchable
        allowDeselect={false}
        nothingFoundMessage="No template is called so"
        data={withUnknown(
          templates?.map(({ key, name, enabled }) => {
            const { value, label } = namedChoice({ key, name });
            return { value, label: enabled ? label : `${label} (off)` };
          }),
          template,
        )}
        value={template || null}
        error={useFault('template')}
        description={chosen && !chosen.enabled ? 'It is off: its mails fail until it is turned on' : undefined}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        onChange={choose}
      />
      <TextInput
        label="Subject"
        placeholder="As the template has it"
        size="xs"
        value={subject}
        error={useFault('subject')}
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
      {brands.length > 1 || brand ? (
        <Select
          label="Brand"
          placeholder="That of each contact"
          size="xs"
          clearable
          data={withUnknown(
            brands.map(({ slug, name }) => ({ value: slug, label: name })),
            brand ?? '',
          )}
          value={brand ?? null}
          error={brandFault}
          onChange={(value) => onChange(withField(config, 'brand', value))}
        />
      ) : null}
      {chosen ? (
        <MailData
          key={template}
          template={template}
          brand={brand ?? undefined}
          data={data ?? undefined}
          replaced={before?.next === template ? before.data : undefined}
          onChange={(next, problem) => onChange(withField(config, 'data', next), { problems: { data: problem } })}
        />
      ) : null}
    </Stack>
  );
}

/** What was sent when another template was chosen. */
interface Before {
  readonly next: string;
  readonly data: Data | undefined;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** With the one that is set, which there may not be any more. */
function withUnknown(choices: readonly Choice[] | undefined, value: string): Choice[] {
  const known = choices ?? [];
  const isKnown = value === '' || known.some((one) => one.value === value);
  return isKnown ? [...known] : [...known, { value, label: choices ? `${value}: there is none` : value }];
}

function DelayForm(given: FormGiven): ReactNode {
  return <Duration {...given} label="Wait" name="minutes" />;
}

const HOW_LONG = 'How long?';

interface DurationGiven extends FormGiven {
  readonly label: string;
  /** Of the setting, a number of minutes. */
  readonly name: string;
}

/** A time that a step has to have: as long as it is emptied, the step keeps the one before, and is not saved. */
function Duration({ config, onChange, label, name }: DurationGiven): ReactNode {
  const fault = useFault(name);
  const problem = problemIn(config, name);
  return (
    <DurationInput
      label={label}
      minutes={problem ? undefined : (config[name] as number)}
      usual="1440"
      error={problem ?? fault}
      onChange={(value) =>
        onChange({ ...config, ...(value ? { [name]: value } : {}) }, { problems: { [name]: value ? undefined : HOW_LONG } })
      }
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
  const typeFault = useFault('event.type');
  const now = event ? 'event' : time ? 'time' : 'condition';
  const before = event ? 'event' : 'met';
  const waitFor = (what: string | null): void => {
    if (what === now) return;
    const problems = { match: undefined, condition: undefined };
    if (what === 'time')
      onChange(
        { time: { at: '09:00', timezone: 'contact' } },
        { problems: { ...problems, timeoutMinutes: undefined }, outcome: { only: before } },
      );
    else if (what === 'event') onChange({ event: { type: '' }, timeoutMinutes }, { problems, outcome: { renamed: 'met', to: 'event' } });
    else onChange({ condition: FIRST_RULE, timeoutMinutes }, { problems, outcome: { renamed: 'event', to: 'met' } });
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
            error={typeFault}
            onChange={(type) => onChange({ ...config, event: { ...event, type } })}
          />
          <ConditionField
            label="Only if"
            whenEmpty="Any such event"
            condition={event.match}
            hasEvent
            faultAt="event.match"
            onChange={(match, problem) =>
              onChange({ ...config, event: { type: event.type, ...(match ? { match } : {}) } }, { problems: { match: problem } })
            }
          />
        </>
      ) : time ? (
        <TimeForm time={time} onChange={(next) => onChange({ time: next })} />
      ) : (
        <ConditionField
          label="Until"
          condition={condition}
          isRequired
          faultAt="condition"
          onChange={(next, problem) => onChange({ ...config, condition: next }, { problems: { condition: problem } })}
        />
      )}
      {time ? null : <Duration config={config} onChange={onChange} label="At most" name="timeoutMinutes" />}
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
      faultAt="condition"
      onChange={(next, problem) => onChange(next ? { condition: next } : {}, { problems: { condition: problem } })}
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
      <TextInput
        label="URL"
        size="xs"
        value={url}
        error={useFault('url')}
        onChange={(event) => onChange({ ...config, url: event.currentTarget.value })}
      />
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
  const { data: sequences } = useQuery(sequencesQuery());
  return (
    <Stack gap="sm">
      <Select
        label="Sequence"
        placeholder={sequences ? 'Choose a sequence' : 'Reading sequences'}
        size="xs"
        searchable
        allowDeselect={false}
        nothingFoundMessage="No sequence is called so"
        data={withUnknown(sequences?.map(namedChoice), sequenceKey)}
        value={sequenceKey || null}
        error={useFault('sequenceKey')}
        onChange={(value) => onChange({ ...config, sequenceKey: value ?? sequenceKey })}
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
