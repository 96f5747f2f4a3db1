import { Autocomplete, type ComboboxItem, Group, type OptionsFilter, Select, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { choicesOf } from '../../../frame/choices.ts';
import { useVocabulary } from '../../../frame/vocabulary.ts';
import { sourceOf } from '../../../show/words.ts';
import { isComparedBy } from '../comparisons.ts';
import { type FieldDraft, type Op, type ValueType, valuesOf } from '../condition-draft.ts';
import { CONTACT_FIELDS, fieldLabel, fieldOf, isField, SOURCE, STATUS } from '../fields.ts';
import { OP_WORDS } from '../filter-words.ts';
import classes from './field-rule.module.css';
import type { RuleGiven } from './rule-given.ts';
import { RuleValue } from './rule-value.tsx';
import { statusOf } from './status-value.tsx';

const MOST_OFFERED = 60;
const TYPES: Readonly<Record<ValueType, string>> = { text: 'Text', number: 'Number', boolean: 'Yes/no' };

/** Fields of contacts are texts; these may be anything. */
const OF_ANY_TYPE = /^(attributes|event)\./;

/** Fields with words of their own for their values, with what is meant by these. */
const KNOWN: ReadonlyMap<string, (words: string) => string> = new Map([
  [STATUS, statusOf],
  [SOURCE, sourceOf],
]);

interface Given extends RuleGiven<FieldDraft> {
  /** What came with an event can be asked about. */
  readonly hasEvent: boolean;
}

/** How a field of a contact, an attribute, or what came with an event compares with a value. */
export function FieldRule({ rule, onChange, hasEvent, isAsked, fault }: Given): ReactNode {
  return (
    <Group gap={6} flex={1} align="flex-start">
      <FieldInput rule={rule} onChange={onChange} hasEvent={hasEvent} isAsked={isAsked} fault={fault} />
      <Select
        aria-label="Comparison"
        size="xs"
        w={146}
        allowDeselect={false}
        data={choicesOf(OP_WORDS).filter(({ value }) => value === rule.op || isComparedBy(rule.field, value))}
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

function FieldInput({ rule, onChange, hasEvent, isAsked, fault }: Given): ReactNode {
  const { attributes, typeOf } = useVocabulary();
  const [typed, setTyped] = useState(fieldLabel(rule.field));
  const [isLeft, setIsLeft] = useState(false);
  const isNone = !isField(rule.field) && (isAsked || (isLeft && rule.field !== ''));
  /** Of an attribute that the project uses its name is enough. */
  const meantBy = (text: string): string => {
    const field = fieldOf(text);
    return attributes.includes(field) ? `attributes.${field}` : field;
  };
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
        { group: 'Contact', items: CONTACT_FIELDS },
        { group: 'Attributes', items: attributes.length > 0 ? attributes.map((name) => `attributes.${name}`) : ['attributes.'] },
      ]}
      limit={MOST_OFFERED}
      filter={byLabelOrPath}
      renderOption={({ option }) => <Offered {...option} />}
      value={meantBy(typed) === rule.field && !isLeft ? typed : fieldLabel(rule.field)}
      error={fault ?? (isNone && rule.field !== '' && !rule.field.endsWith('.') ? NO_FIELD : isNone)}
      onFocus={() => {
        setTyped(fieldLabel(rule.field));
        setIsLeft(false);
      }}
      onBlur={() => setIsLeft(true)}
      onChange={(text) => {
        const field = meantBy(text);
        setTyped(text);
        onChange(field === rule.field ? rule : { ...rule, ...comparisonFor(field, rule), field, type: typeFor(field) });
      }}
    />
  );
}

/** What is kept of the comparison with another field: what makes sense of the new one. */
function comparisonFor(field: string, rule: FieldDraft): Pick<FieldDraft, 'op' | 'values'> {
  const op = isComparedBy(field, rule.op) ? rule.op : 'eq';
  if (KNOWN.has(rule.field)) return { op, values: [''] };
  return { op, values: rule.values.map(KNOWN.get(field) ?? ((value) => value)) };
}

const NO_FIELD = 'No such field. Choose one from the list';

/** A field by its name, and by its path for those who know it from the API. */
function Offered({ value, label = value }: { readonly value: string; readonly label?: string }): ReactNode {
  return (
    <div>
      {label}
      {label === value ? null : (
        <Text size="xs" className={classes.path}>
          {value}
        </Text>
      )}
    </div>
  );
}

const byLabelOrPath: OptionsFilter = ({ options, search, limit }) => {
  const wanted = search.trim().toLowerCase();
  const isFound = ({ value, label }: ComboboxItem): boolean => [value, label].some((text) => text.toLowerCase().includes(wanted));
  let left = limit;
  return options.map((one) => {
    if (!('group' in one)) return one;
    const items = one.items.filter(isFound).slice(0, left);
    left -= items.length;
    return { ...one, items };
  });
};
