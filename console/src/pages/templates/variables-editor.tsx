import { ActionIcon, Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Panel } from '../../frame/detail.tsx';
import { type DataKind, KINDS, notOfKind } from './data-fields.tsx';
import classes from './templates.module.css';
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

/** What a template expects in data: each variable with its kind, whether no mail goes out without it, and a sample. */
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
          What whoever sends the mail has to give, like {'{{ order.total }}'}. Samples fill the preview and test mails.
        </Text>
        {variables.map((variable, index) => (
          <fieldset key={variable.id} className={classes.variable} aria-label={`Variable ${index + 1}`}>
            <TextInput
              id={variable.id}
              label="Path"
              placeholder="order.total"
              spellCheck={false}
              maxLength={200}
              required
              value={variable.path}
              error={problemOf(`dataSchema[${index}].path`)}
              onChange={(event) => change({ ...variable, path: event.currentTarget.value })}
            />
            <Select
              label="Kind"
              allowDeselect={false}
              data={[...KINDS]}
              value={variable.kind}
              error={problemOf(`dataSchema[${index}].kind`)}
              onChange={(kind) => kind && change({ ...variable, kind: kind as DataKind })}
            />
            <TextInput
              className={classes.variableSample}
              label="Sample"
              placeholder={SAMPLES[variable.kind]}
              value={variable.sample}
              error={problemOf(`dataSchema[${index}].sample`) ?? notOfKind(variable.kind, variable.sample)}
              onChange={(event) => change({ ...variable, sample: event.currentTarget.value })}
            />
            <Checkbox
              className={classes.variableRequired}
              label="Required"
              checked={variable.required}
              onChange={(event) => change({ ...variable, required: event.currentTarget.checked })}
            />
            <ActionIcon className={classes.variableRemove} onClick={() => remove(variable.id)} aria-label={`Remove variable ${index + 1}`}>
              <IconTrash size={15} />
            </ActionIcon>
          </fieldset>
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

const SAMPLES: Readonly<Record<DataKind, string>> = {
  ...{ string: 'Ada', number: '20', boolean: 'true', array: '[{ "name": "Tea" }]', object: '{ "total": "€20" }' },
  ...{ date: '2026-06-12T18:00:00Z', url: 'https://example.com' },
};
