import { Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type AttributeDraft, attributeProblem, newAttribute } from './attribute-draft.ts';
import { AttributeRow } from './attribute-row.tsx';
import classes from './attributes-editor.module.css';

interface Given {
  readonly attributes: readonly AttributeDraft[];
  readonly onChange: (attributes: readonly AttributeDraft[]) => void;
  /** What the API says of all of them. */
  readonly error?: string | undefined;
}

/** Fields of the project's own, a row each. */
export function AttributesEditor({ attributes, onChange, error }: Given): ReactNode {
  // Only a row that was added here takes the focus, none of those that the form opens with.
  const [added, setAdded] = useState<string>();
  const add = (): void => {
    const attribute = newAttribute();
    setAdded(attribute.id);
    onChange([...attributes, attribute]);
  };
  return (
    <Stack gap="xs" className={classes.attributes}>
      {attributes.map((attribute) => (
        <AttributeRow
          key={attribute.id}
          attribute={attribute}
          problem={attributeProblem(attribute, attributes)}
          isNew={attribute.id === added}
          onChange={(changed) => onChange(attributes.map((one) => (one.id === attribute.id ? { ...one, ...changed } : one)))}
          onRemove={() => onChange(attributes.filter((one) => one.id !== attribute.id))}
        />
      ))}
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
