import { Autocomplete, NumberInput, TagsInput, type TagsInputProps, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { keysOf } from '../../../frame/choices.ts';
import { useUnusedWords, useVocabulary } from '../../../frame/vocabulary.ts';
import { YesNoSelect } from '../../../frame/yes-no-select.tsx';
import { useSession } from '../../../session/session.tsx';
import { CONTACT_STATUSES } from '../../contacts/contact-status.ts';
import { type FieldDraft, valuesOf } from '../condition-draft.ts';
import type { RuleGiven } from './rule-given.ts';

const MOST_OFFERED = 60;

/** What a field is compared with: nothing, one value, or several. */
export function RuleValue({ rule, onChange, isAsked }: RuleGiven<FieldDraft>): ReactNode {
  const count = valuesOf(rule.op);
  const suggested = useSuggestedValues(rule.field);
  const isOfTags = rule.field === 'contact.tags';
  const unused = useUnusedWords(isOfTags && count !== 'none' ? rule.values : []);
  const hint: Hint = isOfTags ? { description: unused, inputWrapperOrder: ['input', 'description', 'error'] } : {};
  if (count === 'none') return null;
  if (count === 'one') return <OneValue rule={rule} onChange={onChange} isAsked={isAsked} suggested={suggested} hint={hint} />;
  return (
    <TagsInput
      {...hint}
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
        {...hint}
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

/** What a field of contacts may be compared with, as far as it is known. */
function useSuggestedValues(field: string): readonly string[] {
  const { tags } = useVocabulary();
  const { brands } = useSession();
  if (field === 'contact.tags') return tags;
  if (field === 'contact.status') return keysOf(CONTACT_STATUSES);
  return field === 'contact.brand' ? brands.map(({ slug }) => slug) : [];
}
