import { Autocomplete, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { choicesOf } from '../../../frame/choices.ts';
import { Panel } from '../../../frame/detail.tsx';
import { useVocabulary } from '../../../frame/vocabulary.ts';
import { topicsQuery } from '../../topics/topic-queries.ts';
import { fieldWords } from './field-words.ts';
import classes from './imports.module.css';
import { ATTRIBUTE, type ColumnDraft, columnFaults } from './mapping-draft.ts';

const TYPES: Readonly<Record<ColumnDraft['type'], string>> = { text: 'Text', number: 'Number', boolean: 'Yes or no' };

interface Given {
  readonly columns: readonly ColumnDraft[];
  /** What a column may be, as the API says. */
  readonly fields: readonly string[];
  readonly onChange: (columns: readonly ColumnDraft[]) => void;
}

/** What each column of the file is of a contact, with its first values. */
export function MappingFields({ columns, fields, onChange }: Given): ReactNode {
  const choices = useChoices(fields);
  const faults = columnFaults(columns);
  return (
    <Panel title="Columns" flush>
      {columns.map((column, index) => (
        <Column
          key={index}
          column={column}
          choices={choices}
          fault={faults[index]}
          onChange={(changed) => onChange(columns.map((one, at) => (at === index ? changed : one)))}
        />
      ))}
    </Panel>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Group {
  readonly group: string;
  readonly items: Choice[];
}

function useChoices(fields: readonly string[]): Group[] {
  const { data: topics } = useQuery(topicsQuery());
  return useMemo(() => {
    const groupOf = (of: readonly string[]): Choice[] => of.map((value) => ({ value, label: fieldWords(value, topics ?? []) }));
    const isTopic = (field: string): boolean => field.startsWith('topics.');
    const isConsent = (field: string): boolean => field.startsWith('consent.');
    const groups = [
      { group: 'Contact', items: groupOf(fields.filter((field) => !isTopic(field) && !isConsent(field))) },
      { group: 'Your own', items: [{ value: ATTRIBUTE, label: 'Attribute' }] },
      { group: 'Topics', items: groupOf(fields.filter(isTopic)) },
      { group: 'Consent', items: groupOf(fields.filter(isConsent)) },
    ];
    return groups.filter(({ items }) => items.length > 0);
  }, [fields, topics]);
}

interface ColumnGiven {
  readonly column: ColumnDraft;
  readonly choices: Group[];
  readonly fault: string | undefined;
  readonly onChange: (column: ColumnDraft) => void;
}

function Column({ column, choices, fault, onChange }: ColumnGiven): ReactNode {
  const { attributes } = useVocabulary();
  const { name, isTwice, choice, attribute, type, samples } = column;
  const shown = name || 'Column without a name';
  const isAttribute = choice === ATTRIBUTE;
  return (
    <fieldset className={classes.column} aria-label={shown}>
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {shown}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          {samples.length > 0 ? samples.join(' · ') : 'No value in the first rows'}
        </Text>
      </div>
      <div className={classes.fields}>
        <Select
          aria-label={`Field of ${shown}`}
          placeholder="Left out"
          clearable
          searchable
          disabled={isTwice}
          data={choices}
          value={isTwice || choice === '' ? null : choice}
          error={isTwice ? 'Another column has this name. Rename one of them to import them' : isAttribute ? undefined : fault}
          onChange={(chosen) => onChange({ ...column, choice: chosen ?? '' })}
        />
        {isAttribute && !isTwice ? (
          <>
            <Autocomplete
              aria-label={`Attribute of ${shown}`}
              placeholder="Name of the attribute"
              data={[...attributes]}
              value={attribute}
              error={fault}
              onChange={(typed) => onChange({ ...column, attribute: typed })}
            />
            <Select
              aria-label={`Type of ${shown}`}
              allowDeselect={false}
              data={choicesOf(TYPES)}
              value={type}
              onChange={(chosen) => onChange({ ...column, type: (chosen ?? type) as ColumnDraft['type'] })}
            />
          </>
        ) : null}
      </div>
    </fieldset>
  );
}
