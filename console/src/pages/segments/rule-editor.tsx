import { Autocomplete, Code, Group, NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EventTypeInput } from '../../frame/event-type-input.tsx';
import { namedChoice } from '../../frame/named-choice.ts';
import { useVocabulary } from '../../frame/vocabulary.ts';
import { YesNoSelect } from '../../frame/yes-no-select.tsx';
import { useSession } from '../../session/session.tsx';
import { templatesQuery } from '../templates/template-queries.ts';
import {
  type EmailDraft,
  type EventDraft,
  type FieldDraft,
  type Op,
  type RuleDraft,
  type SegmentDraft,
  type ValueType,
  valuesOf,
} from './condition-draft.ts';
import { OP_WORDS } from './filter-words.ts';
import { segmentsQuery } from './segment-queries.ts';

const CONTACT_FIELDS = [
  'status',
  'email',
  'source',
  'brand',
  'first_name',
  'last_name',
  'display_name',
  'tags',
  'timezone',
  'locale',
  'created_at',
];
const MOST_OFFERED = 60;
const EMAIL_EVENTS: readonly EmailDraft['event'][] = ['sent', 'delivered', 'opened', 'clicked', 'bounced'];
const TYPES: readonly { readonly value: ValueType; readonly label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes/no' },
];

interface Given<T> {
  readonly rule: T;
  readonly onChange: (rule: T) => void;
  /** What is still to be filled in is marked. */
  readonly isAsked?: boolean;
}

/** One rule of a condition in one line. */
export function RuleEditor({
  rule,
  onChange,
  hasEvent = false,
  isAsked = false,
}: Given<RuleDraft> & { readonly hasEvent?: boolean }): ReactNode {
  switch (rule.kind) {
    case 'field':
      return <FieldEditor rule={rule} onChange={onChange} hasEvent={hasEvent} isAsked={isAsked} />;
    case 'event':
      return <EventEditor rule={rule} onChange={onChange} isAsked={isAsked} />;
    case 'email':
      return <EmailEditor rule={rule} onChange={onChange} />;
    case 'segment':
      return <SegmentEditor rule={rule} onChange={onChange} isAsked={isAsked} />;
    default:
      return <Code>{JSON.stringify(rule.condition)}</Code>;
  }
}

/** Fields of contacts are texts; these may be anything. */
const OF_ANY_TYPE = /^(attributes|event)\./;

function FieldEditor({ rule, onChange, hasEvent, isAsked }: Given<FieldDraft> & { readonly hasEvent: boolean }): ReactNode {
  const { attributes, typeOf } = useVocabulary();
  const hasType = OF_ANY_TYPE.test(rule.field);
  /** That of the values which were seen, while none is given yet. */
  const typeFor = (field: string): ValueType => {
    if (!OF_ANY_TYPE.test(field)) return 'text';
    const isOpen = field.startsWith('attributes.') && rule.values.every((value) => value === '');
    const seen = isOpen ? typeOf(field.slice('attributes.'.length)) : undefined;
    return seen === undefined ? rule.type : seen === 'string' ? 'text' : seen;
  };
  const count = valuesOf(rule.op);
  const suggested = useSuggestedValues(rule.field);
  return (
    <Group gap={6} flex={1}>
      <Autocomplete
        aria-label="Field"
        size="xs"
        w={190}
        placeholder={hasEvent ? 'event.amount' : 'attributes.plan'}
        data={[
          ...(hasEvent ? [{ group: 'What came with the event', items: ['event.'] }] : []),
          { group: 'Contact', items: CONTACT_FIELDS.map((name) => `contact.${name}`) },
          { group: 'Attributes', items: attributes.length > 0 ? attributes.map((name) => `attributes.${name}`) : ['attributes.'] },
        ]}
        limit={MOST_OFFERED}
        value={rule.field}
        error={isAsked && (rule.field === '' || rule.field.endsWith('.'))}
        onChange={(field) => onChange({ ...rule, field, type: typeFor(field) })}
      />
      <Select
        aria-label="Comparison"
        size="xs"
        w={146}
        allowDeselect={false}
        data={(Object.keys(OP_WORDS) as Op[]).map((value) => ({ value, label: OP_WORDS[value] }))}
        value={rule.op}
        onChange={(op) => onChange({ ...rule, op: (op as Op | null) ?? rule.op })}
      />
      {count !== 'none' && hasType ? (
        <Select
          aria-label="Type of value"
          size="xs"
          w={112}
          allowDeselect={false}
          data={[...TYPES]}
          value={rule.type}
          onChange={(type) => onChange({ ...rule, type: (type as ValueType | null) ?? 'text', values: [''] })}
        />
      ) : null}
      {count === 'many' ? (
        <TagsInput
          aria-label="Values"
          size="xs"
          flex={1}
          miw={160}
          placeholder="Value, Enter"
          data={[...suggested]}
          limit={MOST_OFFERED}
          value={rule.values.filter((value) => value !== '')}
          error={isAsked && rule.values.every((value) => value === '')}
          onChange={(values) => onChange({ ...rule, values })}
        />
      ) : null}
      {count === 'one' ? <OneValue rule={rule} onChange={onChange} isAsked={isAsked} /> : null}
    </Group>
  );
}

const STATUSES = ['subscribed', 'pending', 'unsubscribed', 'bounced'];

/** What a field of contacts may be compared with, as far as it is known. */
function useSuggestedValues(field: string): readonly string[] {
  const { tags } = useVocabulary();
  const { brands } = useSession();
  if (field === 'contact.tags') return tags;
  if (field === 'contact.status') return STATUSES;
  return field === 'contact.brand' ? brands.map(({ slug }) => slug) : [];
}

function OneValue({ rule, onChange, isAsked }: Given<FieldDraft>): ReactNode {
  const [value = ''] = rule.values;
  const error = isAsked && value === '';
  const suggested = useSuggestedValues(rule.field);
  const set = (text: string): void => onChange({ ...rule, values: [text] });
  if (rule.type === 'boolean') {
    return <YesNoSelect aria-label="Value" size="xs" w={110} placeholder="Value" value={value} error={error} onChange={set} />;
  }
  if (rule.type === 'number') {
    return (
      <NumberInput
        aria-label="Value"
        size="xs"
        flex={1}
        miw={140}
        placeholder="Value"
        value={value}
        error={error}
        onChange={(number) => set(String(number))}
      />
    );
  }
  if (suggested.length > 0) {
    return (
      <Autocomplete
        aria-label="Value"
        size="xs"
        flex={1}
        miw={140}
        placeholder="Value"
        data={[...suggested]}
        limit={MOST_OFFERED}
        value={value}
        error={error}
        onChange={set}
      />
    );
  }
  return (
    <TextInput
      aria-label="Value"
      size="xs"
      flex={1}
      miw={140}
      placeholder={rule.field === 'contact.created_at' ? '2026-01-31' : 'Value'}
      value={value}
      error={error}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

function EventEditor({ rule, onChange, isAsked }: Given<EventDraft>): ReactNode {
  return (
    <Group gap={6} flex={1}>
      <EventTypeInput
        aria-label="Event type"
        flex={1}
        miw={160}
        leftSectionWidth={50}
        leftSection="Event"
        placeholder="signed_up"
        value={rule.type}
        error={isAsked && rule.type === ''}
        onChange={(type) => onChange({ ...rule, type })}
      />
      <NumberInput
        aria-label="At least so many times"
        size="xs"
        w={120}
        min={1}
        allowDecimal={false}
        prefix="at least "
        suffix=" ×"
        placeholder="at least 1 ×"
        value={rule.atLeast ?? ''}
        onChange={(count) => onChange({ ...rule, atLeast: Number(count) || null })}
      />
      <Within hours={rule.withinHours} onChange={(withinHours) => onChange({ ...rule, withinHours })} />
    </Group>
  );
}

function EmailEditor({ rule, onChange }: Given<EmailDraft>): ReactNode {
  const { data: templates = [] } = useQuery(templatesQuery());
  const choices = templates.map(namedChoice);
  const isUnknown = rule.template && !templates.some(({ key }) => key === rule.template);
  return (
    <Group gap={6} flex={1}>
      <Select
        aria-label="Template"
        size="xs"
        flex={1}
        miw={150}
        placeholder="Any mail"
        clearable
        searchable
        data={rule.template && isUnknown ? [...choices, { value: rule.template, label: rule.template }] : choices}
        value={rule.template}
        onChange={(template) => onChange({ ...rule, template })}
      />
      <Select
        aria-label="What happened to the mail"
        size="xs"
        w={130}
        allowDeselect={false}
        data={EMAIL_EVENTS.map((value) => ({ value, label: `was ${value}` }))}
        value={rule.event}
        onChange={(event) => onChange({ ...rule, event: (event as EmailDraft['event'] | null) ?? rule.event })}
      />
      <Within hours={rule.withinHours} onChange={(withinHours) => onChange({ ...rule, withinHours })} />
    </Group>
  );
}

function SegmentEditor({ rule, onChange, isAsked }: Given<SegmentDraft>): ReactNode {
  const { data: segments = [] } = useQuery(segmentsQuery());
  const labels = segments.map(({ label }) => label);
  return (
    <Select
      aria-label="Segment"
      size="xs"
      flex={1}
      leftSectionWidth={44}
      leftSection="Is in"
      placeholder="Choose a segment"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No segment is called so"
      data={rule.segment === '' || labels.includes(rule.segment) ? labels : [...labels, rule.segment]}
      value={rule.segment || null}
      error={isAsked && rule.segment === ''}
      onChange={(segment) => onChange({ ...rule, segment: segment ?? rule.segment })}
    />
  );
}

const SPANS = [
  { value: '24', label: 'in 24 hours' },
  { value: '168', label: 'in 7 days' },
  { value: '720', label: 'in 30 days' },
  { value: '2160', label: 'in 90 days' },
];

/** How long ago it may have been; another span than these is kept as it is. */
function Within({ hours, onChange }: { readonly hours: number | null; readonly onChange: (hours: number | null) => void }): ReactNode {
  const value = hours === null ? null : String(hours);
  const isOwn = value !== null && !SPANS.some((span) => span.value === value);
  return (
    <Select
      aria-label="Period"
      size="xs"
      w={126}
      clearable
      placeholder="at any time"
      data={isOwn ? [...SPANS, { value, label: `in ${value} hours` }] : SPANS}
      value={value}
      onChange={(text) => onChange(text === null ? null : Number(text))}
    />
  );
}
