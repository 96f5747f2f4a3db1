import { Autocomplete, Group, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf, keysOf } from '../../../frame/choices.ts';
import { useVocabulary } from '../../../frame/vocabulary.ts';
import { columnsOf, NAMES, TRAITS } from '../../../show/contact-texts.ts';
import type { Contact } from '../../contacts/contact-queries.ts';
import { type FieldDraft, type Op, type ValueType, valuesOf } from '../condition-draft.ts';
import { OP_WORDS } from '../filter-words.ts';
import type { RuleGiven } from './rule-given.ts';
import { RuleValue } from './rule-value.tsx';

/** What a contact has that conditions ask otherwise for, or not at all. */
type NotAsked = 'id' | 'brand_id' | 'attributes' | 'updated_at';

/** The fields of contacts that conditions ask for, by their names there. */
const CONTACT_FIELDS = keysOf<Exclude<keyof Contact, NotAsked> | 'brand'>({
  ...{ status: true, email: true, source: true, brand: true, ...columnsOf(NAMES) },
  ...{ tags: true, ...columnsOf(TRAITS), created_at: true },
});
const MOST_OFFERED = 60;
const TYPES: Readonly<Record<ValueType, string>> = { text: 'Text', number: 'Number', boolean: 'Yes/no' };

/** Fields of contacts are texts; these may be anything. */
const OF_ANY_TYPE = /^(attributes|event)\./;

interface Given extends RuleGiven<FieldDraft> {
  /** What came with an event can be asked about. */
  readonly hasEvent: boolean;
}

/** How a field of a contact, an attribute, or what came with an event compares with a value. */
export function FieldRule({ rule, onChange, hasEvent, isAsked }: Given): ReactNode {
  return (
    <Group gap={6} flex={1}>
      <FieldInput rule={rule} onChange={onChange} hasEvent={hasEvent} isAsked={isAsked} />
      <Select
        aria-label="Comparison"
        size="xs"
        w={146}
        allowDeselect={false}
        data={choicesOf(OP_WORDS)}
        value={rule.op}
        onChange={(op) => onChange({ ...rule, op: (op as Op | null) ?? rule.op })}
      />
      {valuesOf(rule.op) !== 'none' && OF_ANY_TYPE.test(rule.field) ? (
        <Select
          aria-label="Type of value"
          size="xs"
          w={112}
          allowDeselect={false}
          data={choicesOf(TYPES)}
          value={rule.type}
          onChange={(type) => onChange({ ...rule, type: (type as ValueType | null) ?? 'text', values: [''] })}
        />
      ) : null}
      <RuleValue rule={rule} onChange={onChange} isAsked={isAsked} />
    </Group>
  );
}

function FieldInput({ rule, onChange, hasEvent, isAsked }: Given): ReactNode {
  const { attributes, typeOf } = useVocabulary();
  /** That of the values which were seen, while none is given yet. */
  const typeFor = (field: string): ValueType => {
    if (!OF_ANY_TYPE.test(field)) return 'text';
    const isOpen = field.startsWith('attributes.') && rule.values.every((value) => value === '');
    const seen = isOpen ? typeOf(field.slice('attributes.'.length)) : undefined;
    return seen === undefined ? rule.type : seen === 'string' ? 'text' : seen;
  };
  return (
    <Autocomplete
      aria-label="Field"
      size="xs"
      w={190}
      placeholder={hasEvent ? 'event.amount' : 'attributes.plan'}
      data={[
        ...(hasEvent ? [{ group: 'Event data', items: ['event.'] }] : []),
        { group: 'Contact', items: CONTACT_FIELDS.map((name) => `contact.${name}`) },
        { group: 'Attributes', items: attributes.length > 0 ? attributes.map((name) => `attributes.${name}`) : ['attributes.'] },
      ]}
      limit={MOST_OFFERED}
      value={rule.field}
      error={isAsked && (rule.field === '' || rule.field.endsWith('.'))}
      onChange={(field) => onChange({ ...rule, field, type: typeFor(field) })}
    />
  );
}
