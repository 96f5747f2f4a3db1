import { ActionIcon, Autocomplete, Box, Button, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type KnownType, useVocabulary } from '../../frame/vocabulary.ts';
import { YesNoSelect } from '../../frame/yes-no-select.tsx';
import { type AttributeDraft, type AttributeType, attributeProblem, newAttribute } from './attribute-draft.ts';
import classes from './attributes-editor.module.css';

const TYPES: readonly { readonly value: AttributeType; readonly label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
  { value: 'json', label: 'JSON' },
];

/** How an attribute begins that others have already. */
const EMPTY: Readonly<Record<KnownType, Pick<AttributeDraft, 'type' | 'text'>>> = {
  string: { type: 'text', text: '' },
  number: { type: 'number', text: '' },
  boolean: { type: 'boolean', text: 'true' },
};
const MOST_OFFERED = 30;

interface Given {
  readonly attributes: readonly AttributeDraft[];
  readonly onChange: (attributes: readonly AttributeDraft[]) => void;
  /** What the API says of all of them. */
  readonly error?: string | undefined;
}

/** Fields of the project's own, a row each. */
export function AttributesEditor({ attributes, onChange, error }: Given): ReactNode {
  const change = (id: string, changed: Partial<AttributeDraft>): void =>
    onChange(attributes.map((one) => (one.id === id ? { ...one, ...changed } : one)));
  const known = useVocabulary();
  // Only a row that was added here takes the focus, none of those that the form opens with.
  const [added, setAdded] = useState<string>();
  const add = (): void => {
    const attribute = newAttribute();
    setAdded(attribute.id);
    onChange([...attributes, attribute]);
  };
  const rename = ({ id, type, text }: AttributeDraft, name: string): void => {
    const usual = known.typeOf(name);
    change(id, text === '' && usual ? { name, ...EMPTY[usual] } : { name, type });
  };
  return (
    <Stack gap="xs" className={classes.attributes}>
      {attributes.map((attribute) => {
        const { id, name, type, text } = attribute;
        const problem = attributeProblem(attribute, attributes);
        const called = name || 'without a name';
        return (
          <Box key={id} role="group" aria-label={`Attribute ${called}`} className={classes.attribute}>
            <Autocomplete
              aria-label="Name"
              autoFocus={id === added}
              placeholder="plan"
              size="xs"
              data={[...known.attributes]}
              limit={MOST_OFFERED}
              value={name}
              error={problem.name}
              onChange={(typed) => rename(attribute, typed)}
            />
            <Select
              aria-label="Type"
              size="xs"
              allowDeselect={false}
              data={[...TYPES]}
              value={type}
              onChange={(chosen) => change(id, { type: chosen as AttributeType, ...(chosen === 'boolean' ? { text: 'true' } : {}) })}
            />
            {type === 'boolean' ? (
              <YesNoSelect
                className={classes.value}
                aria-label="Value"
                size="xs"
                allowDeselect={false}
                value={text === 'true' ? 'true' : 'false'}
                onChange={(chosen) => change(id, { text: chosen })}
              />
            ) : type === 'json' ? (
              <Textarea
                className={classes.value}
                aria-label="Value"
                size="xs"
                autosize
                maxRows={12}
                spellCheck={false}
                styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
                value={text}
                error={problem.text}
                onChange={(event) => change(id, { text: event.currentTarget.value })}
              />
            ) : (
              <TextInput
                className={classes.value}
                aria-label="Value"
                size="xs"
                inputMode={type === 'number' ? 'decimal' : undefined}
                value={text}
                error={problem.text}
                onChange={(event) => change(id, { text: event.currentTarget.value })}
              />
            )}
            <ActionIcon
              size={30}
              aria-label={`Remove attribute ${called}`}
              onClick={() => onChange(attributes.filter((one) => one.id !== id))}
            >
              <IconTrash size={15} />
            </ActionIcon>
          </Box>
        );
      })}
      {error ? (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      ) : null}
      <Button variant="default" w="fit-content" leftSection={<IconPlus size={14} />} onClick={add}>
        Add attribute
      </Button>
    </Stack>
  );
}
