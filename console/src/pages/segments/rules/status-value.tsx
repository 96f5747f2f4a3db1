import { MultiSelect, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Choice, choicesOf } from '../../../frame/choices.ts';
import { CONTACT_STATUSES } from '../../contacts/contact-status.ts';
import { type FieldDraft, valuesOf } from '../condition-draft.ts';
import type { RuleGiven } from './rule-given.ts';

const CHOICES: readonly Choice[] = choicesOf(CONTACT_STATUSES);

/** The status that is called so; '' where there is none. */
export function statusOf(words: string): string {
  const wanted = words.trim().toLowerCase();
  return CHOICES.find(({ label }) => label.toLowerCase() === wanted)?.value ?? '';
}

/** Statuses to pick from. One that a rule has and no contact can have is among them, so that it is seen. */
export function StatusValue({ rule, onChange, isAsked = false }: RuleGiven<FieldDraft>): ReactNode {
  const values = rule.values.filter((value) => value !== '');
  const [value = null] = values;
  const unknown = values.filter((one) => !CHOICES.some((choice) => choice.value === one));
  const given = {
    ...{ size: 'xs', flex: 1, miw: 140 },
    data: [...CHOICES, ...unknown.map((one) => ({ value: one, label: `${one} (no such status)` }))],
    error: isAsked && values.length === 0,
  };
  const set = (chosen: readonly string[]): void => onChange({ ...rule, values: chosen });
  if (valuesOf(rule.op) === 'many')
    return (
      <MultiSelect {...given} aria-label="Values" placeholder={values.length > 0 ? '' : 'Choose statuses'} value={values} onChange={set} />
    );
  return (
    <Select
      {...given}
      aria-label="Value"
      placeholder="Choose a status"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No such status"
      value={value}
      onChange={(chosen) => set([chosen ?? ''])}
      onSearchChange={(typed) => {
        const meant = statusOf(typed);
        if (meant !== '' && meant !== value) set([meant]);
      }}
    />
  );
}
