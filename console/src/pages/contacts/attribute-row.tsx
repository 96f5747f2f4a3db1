import { ActionIcon, Autocomplete, Box, Select, Textarea, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { choicesOf } from '../../frame/choices.ts';
import { type KnownType, useVocabulary } from '../../frame/vocabulary.ts';
import { YesNoSelect } from '../../frame/yes-no-select.tsx';
import type { AttributeDraft, AttributeType } from './attribute-draft.ts';
import classes from './attributes-editor.module.css';

const TYPES: Readonly<Record<AttributeType, string>> = { text: 'Text', number: 'Number', boolean: 'Yes or no', json: 'JSON' };

/** How an attribute begins that others have already. */
const EMPTY: Readonly<Record<KnownType, Pick<AttributeDraft, 'type' | 'text'>>> = {
  string: { type: 'text', text: '' },
  number: { type: 'number', text: '' },
  boolean: { type: 'boolean', text: 'true' },
};
const MOST_OFFERED = 30;

interface Given {
  readonly attribute: AttributeDraft;
  /** What is wrong with it, by its parts. */
  readonly problem: { readonly name?: string; readonly text?: string };
  /** It was added just now, and takes the focus. */
  readonly isNew: boolean;
  readonly onChange: (changed: Partial<AttributeDraft>) => void;
  readonly onRemove: () => void;
}

/** One field of the project's own: name, type and value. */
export function AttributeRow({ attribute, problem, isNew, onChange, onRemove }: Given): ReactNode {
  const { name, type, text } = attribute;
  const known = useVocabulary();
  const called = name || 'without a name';
  const rename = (typed: string): void => {
    const usual = known.typeOf(typed);
    onChange(text === '' && usual ? { name: typed, ...EMPTY[usual] } : { name: typed, type });
  };
  return (
    <Box role="group" aria-label={`Attribute ${called}`} className={classes.attribute}>
      <Autocomplete
        aria-label="Name"
        autoFocus={isNew}
        placeholder="plan"
        size="xs"
        data={[...known.attributes]}
        limit={MOST_OFFERED}
        value={name}
        error={problem.name}
        onChange={rename}
      />
      <Select
        aria-label="Type"
        size="xs"
        allowDeselect={false}
        data={choicesOf(TYPES)}
        value={type}
        onChange={(chosen) => onChange({ type: chosen as AttributeType, ...(chosen === 'boolean' ? { text: 'true' } : {}) })}
      />
      <ValueInput type={type} text={text} error={problem.text} onChange={(typed) => onChange({ text: typed })} />
      <ActionIcon size={30} aria-label={`Remove attribute ${called}`} onClick={onRemove}>
        <IconTrash size={15} />
      </ActionIcon>
    </Box>
  );
}

interface ValueGiven extends Pick<AttributeDraft, 'type' | 'text'> {
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function ValueInput({ type, text, error, onChange }: ValueGiven): ReactNode {
  const shared = { className: classes.value, 'aria-label': 'Value', size: 'xs' } as const;
  if (type === 'boolean') {
    return <YesNoSelect {...shared} allowDeselect={false} value={text === 'true' ? 'true' : 'false'} onChange={onChange} />;
  }
  if (type === 'json') {
    return (
      <Textarea
        {...shared}
        autosize
        maxRows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={text}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      inputMode={type === 'number' ? 'decimal' : undefined}
      value={text}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
