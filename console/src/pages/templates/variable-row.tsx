import { ActionIcon, Checkbox, Select, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { choicesOf } from '../../frame/choices.ts';
import { type DataKind, KINDS, notOfKind } from './data-fields.tsx';
import classes from './templates.module.css';
import type { VariableDraft } from './variables-draft.ts';

const SAMPLES: Readonly<Record<DataKind, string>> = {
  ...{ string: 'Ada', number: '20', boolean: 'true', array: '[{ "name": "Tea" }]', object: '{ "total": "€20" }' },
  ...{ date: '2026-06-12T18:00:00Z', url: 'https://example.com' },
};

interface Given {
  readonly variable: VariableDraft;
  /** Its place, from 1. */
  readonly number: number;
  /** What the API found wrong with `path`, `kind` or `sample`. */
  readonly problemOf: (name: string) => string | undefined;
  readonly onChange: (variable: VariableDraft) => void;
  readonly onRemove: () => void;
}

/** One variable with its kind, whether no mail goes out without it, and a sample. */
export function VariableRow({ variable, number, problemOf, onChange, onRemove }: Given): ReactNode {
  const { id, path, kind, sample, required } = variable;
  return (
    <fieldset className={classes.variable} aria-label={`Variable ${number}`}>
      <TextInput
        id={id}
        label="Path"
        placeholder="order.total"
        spellCheck={false}
        maxLength={200}
        required
        value={path}
        error={problemOf('path')}
        onChange={(event) => onChange({ ...variable, path: event.currentTarget.value })}
      />
      <Select
        label="Kind"
        allowDeselect={false}
        data={choicesOf(KINDS)}
        value={kind}
        error={problemOf('kind')}
        onChange={(chosen) => chosen && onChange({ ...variable, kind: chosen as DataKind })}
      />
      <TextInput
        className={classes.variableSample}
        label="Sample"
        placeholder={SAMPLES[kind]}
        value={sample}
        error={problemOf('sample') ?? notOfKind(kind, sample)}
        onChange={(event) => onChange({ ...variable, sample: event.currentTarget.value })}
      />
      <Checkbox
        className={classes.variableRequired}
        label="Required"
        checked={required}
        onChange={(event) => onChange({ ...variable, required: event.currentTarget.checked })}
      />
      <ActionIcon className={classes.variableRemove} onClick={onRemove} aria-label={`Remove variable ${number}`}>
        <IconTrash size={15} />
      </ActionIcon>
    </fieldset>
  );
}
