import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Panel } from '../../frame/detail.tsx';
import { VariableRow } from './variable-row.tsx';
import { MOST_VARIABLES, newVariable, type VariableDraft } from './variables-draft.ts';

interface Given {
  readonly variables: readonly VariableDraft[];
  /** What the API found wrong at a place of what was sent. */
  readonly problemOf: (path: string) => string | undefined;
  readonly onChange: (variables: readonly VariableDraft[]) => void;
  /** Beside the heading. */
  readonly action?: ReactNode;
  /** Paths that the mail reads and that nothing declares. */
  readonly found?: readonly string[];
}

/** What a template expects in data. */
export function VariablesEditor({ variables, problemOf, onChange, action, found = [] }: Given): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  /** What is changed, with the focus where it goes on. */
  const changeAll = (changed: readonly VariableDraft[], selector: string): void => {
    // Before the next key is pressed.
    flushSync(() => onChange(changed));
    list.current?.querySelector<HTMLElement>(selector)?.focus();
  };
  const change = (changed: VariableDraft): void => onChange(variables.map((one) => (one.id === changed.id ? changed : one)));
  const add = (path = ''): void => {
    const made = newVariable(path);
    changeAll([...variables, made], `#${made.id}`);
  };
  const remove = (id: string): void => {
    changeAll(
      variables.filter((one) => one.id !== id),
      '[data-add]',
    );
  };
  const whole = variables.some((_, index) => problemOf(`dataSchema[${index}]`)) ? undefined : problemOf('dataSchema');
  return (
    <Panel title="Variables" action={action}>
      <Stack gap="sm" ref={list}>
        <Text size="sm" c="dimmed">
          The data each send provides, such as {'{{ order.total }}'}. Samples are used in previews and test emails.
        </Text>
        {variables.map((variable, index) => (
          <VariableRow
            key={variable.id}
            variable={variable}
            number={index + 1}
            problemOf={(name) => problemOf(`dataSchema[${index}].${name}`)}
            onChange={change}
            onRemove={() => remove(variable.id)}
          />
        ))}
        {whole ? (
          <Text size="xs" c="var(--mantine-color-error)">
            {whole}
          </Text>
        ) : null}
        {variables.length < MOST_VARIABLES ? (
          <Group gap="xs">
            <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => add()} data-add>
              Add variable
            </Button>
            {found
              .filter((path) => variables.every((one) => one.path.trim() !== path))
              .map((path) => (
                <Button key={path} variant="default" leftSection={<IconPlus size={14} />} onClick={() => add(path)}>
                  Declare {path}
                </Button>
              ))}
          </Group>
        ) : null}
      </Stack>
    </Panel>
  );
}
