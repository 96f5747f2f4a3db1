import { Autocomplete, NumberInput, TagsInput, type TagsInputProps, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useUnusedWords, useVocabulary } from '../../../frame/vocabulary.ts';
import { YesNoSelect } from '../../../frame/yes-no-select.tsx';
import { useSession } from '../../../session/session.tsx';
import { CONTACT_SOURCE_WORDS, contactSource, sourceOf } from '../../../show/words.ts';
import { isOfWhole } from '../comparisons.ts';
import { type FieldDraft, valuesOf } from '../condition-draft.ts';
import { SOURCE, STATUS, TAGS } from '../fields.ts';
import { SourceInput } from '../source-input.tsx';
import type { RuleGiven } from './rule-given.ts';
import { StatusValue } from './status-value.tsx';

const MOST_OFFERED = 60;

/** What a field is compared with: nothing, one value, or several. */
export function RuleValue({ rule, onChange, isAsked }: RuleGiven<FieldDraft>): ReactNode {
  const count = valuesOf(rule.op);
  const suggested = useSuggestedValues(rule.field);
  const isOfTags = rule.field === TAGS;
  const unused = useUnusedWords(isOfTags && count !== 'none' ? rule.values : []);
  const hint: Hint = isOfTags ? { description: unused, inputWrapperOrder: ['input', 'description', 'error'] } : {};
  if (count === 'none') return null;
  if (rule.field === STATUS && isOfWhole(rule.op)) return <StatusValue rule={rule} onChange={onChange} isAsked={isAsked} />;
  if (count === 'one') return <OneValue rule={rule} onChange={onChange} isAsked={isAsked} suggested={suggested} hint={hint} />;
  const isOfSource = rule.field === SOURCE;
  const values = rule.values.filter((value) => value !== '');
  return (
    <TagsInput
      {...hint}
      aria-label="Values"
      size="xs"
      flex={1}
      miw={160}
      placeholder="Value, Enter"
      data={isOfSource ? [...CONTACT_SOURCE_WORDS] : [...suggested]}
      limit={MOST_OFFERED}
      value={isOfSource ? values.map(contactSource) : values}
      error={isAsked && values.length === 0}
      onChange={(typed) => onChange({ ...rule, values: isOfSource ? typed.map(sourceOf) : typed })}
    />
  );
}

interface OneGiven extends RuleGiven<FieldDraft> {
  readonly suggested: readonly string[];
  readonly hint: Hint;
}

/** What is said below the value; nothing of most. */
type Hint = Pick<TagsInputProps, 'description' | 'inputWrapperOrder'>;

function OneValue({ rule, onChange, isAsked, suggested, hint }: OneGiven): ReactNode {
  const [value = ''] = rule.values;
  const error = isAsked && value === '';
  const set = (text: string): void => onChange({ ...rule, values: [text] });
  const field = { 'aria-label': 'Value', size: 'xs', flex: 1, miw: 140, error };
  if (rule.type === 'boolean') {
    return <YesNoSelect aria-label="Value" size="xs" w={110} placeholder="Value" value={value} error={error} onChange={set} />;
  }
  if (rule.type === 'number') {
    return <NumberInput {...field} placeholder="Value" value={value} onChange={(number) => set(String(number))} />;
  }
  if (rule.field === SOURCE)
    return <SourceInput {...field} placeholder="Value" isPart={!isOfWhole(rule.op)} source={value} onChange={set} />;
  if (suggested.length > 0) {
    return (
      <Autocomplete {...field} {...hint} placeholder="Value" data={[...suggested]} limit={MOST_OFFERED} value={value} onChange={set} />
    );
  }
  return (
    <TextInput
      {...field}
      placeholder={rule.field === 'contact.created_at' ? '2026-01-31' : 'Value'}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

/** What a field of contacts may be compared with, as far as it is known. */
function useSuggestedValues(field: string): readonly string[] {
  const { tags } = useVocabulary();
  const { brands } = useSession();
  if (field === TAGS) return tags;
  return field === 'contact.brand' ? brands.map(({ slug }) => slug) : [];
}
