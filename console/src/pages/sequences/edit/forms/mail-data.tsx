import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { valueAt } from '../../../../json.ts';
import { type DataDraft, DataFields, notOfKind, textOf, valueIn } from '../../../templates/data-fields.tsx';
import { type TemplateField, templateSchemaQuery } from '../../../templates/template-queries.ts';
import { FaultAt } from '../faults.tsx';
import { type Data, pathsBeside, withValueAt } from './data-paths.ts';

interface Given {
  /** A template of the project. */
  readonly template: string;
  /** The slug; undefined: the brand of each contact. */
  readonly brand: string | undefined;
  readonly data: Data | undefined;
  /** What was sent by another template until this one was chosen: what this one does not take is left out of it. */
  readonly replaced: Data | undefined;
  /** `problem`: a text that is not of its field's kind, which the data is without. */
  readonly onChange: (data: Data | undefined, problem: string | undefined) => void;
}

/** What a template takes, each in a field; what else is sent, or was left out, is told. Nothing for a template that takes nothing. */
export function MailData({ template, brand, data, replaced, onChange }: Given): ReactNode {
  const { data: schema } = useQuery(templateSchemaQuery(template, brand));
  /** As typed, as long as the data is what was made of it. */
  const [typed, setTyped] = useState<{ readonly draft: DataDraft; readonly made: Data | undefined }>();
  const [isBroughtBack, setIsBroughtBack] = useState(false);
  const fields = schema?.dataSchema ?? [];
  const paths = fields.map(({ path }) => path);
  const beside = schema ? pathsBeside(data, paths) : [];
  const lost = schema && !isBroughtBack ? pathsBeside(replaced, paths) : [];
  const leaveOut = (): void => onChange(given(without(data ?? {}, beside)), undefined);
  const isToLeaveOut = lost.length > 0 && beside.length > 0;
  // What it takes is known only now.
  useEffect(() => {
    if (isToLeaveOut) leaveOut();
  });
  const notes = (
    <>
      {lost.length > 0 ? (
        <Note words={`${template} has no ${lost.join(', ')}, so it is left out.`}>
          <Button
            variant="default"
            onClick={() => {
              setIsBroughtBack(true);
              onChange(
                lost.reduce((all, path) => withValueAt(all, path, valueAt(replaced, path)), data ?? {}),
                undefined,
              );
            }}
          >
            Restore
          </Button>
        </Note>
      ) : beside.length > 0 ? (
        <Note words={`Also sent, although ${template} does not use it: ${beside.join(', ')}.`}>
          <Button variant="default" onClick={leaveOut}>
            Leave out
          </Button>
        </Note>
      ) : null}
    </>
  );
  if (fields.length === 0) return notes;
  const draft = typed && typed.made === data ? typed.draft : textsOf(fields, data);
  const change = (next: DataDraft): void => {
    const made = given(dataOf(fields, next, data ?? {}));
    setTyped({ draft: next, made });
    onChange(made, problemOf(fields, next));
  };
  return (
    <Stack gap="sm" role="group" aria-label="Template fields">
      <div>
        <Text size="xs" fw={500}>
          Template fields
        </Text>
        <Text size="xs" c="dimmed">
          The same for every contact. The template reads contact fields and event data by itself.
        </Text>
      </div>
      {notes}
      <FaultAt path="data" />
      <DataFields fields={fields} draft={draft} onChange={change} />
    </Stack>
  );
}

function Note({ words, children }: { readonly words: string; readonly children: ReactNode }): ReactNode {
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between" role="status">
      <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
        {words}
      </Text>
      {children}
    </Group>
  );
}

/** Data that is empty is none. */
function given(data: Data): Data | undefined {
  return Object.keys(data).length > 0 ? data : undefined;
}

function without(data: Data, paths: readonly string[]): Data {
  return paths.reduce((left, path) => withValueAt(left, path, undefined), data);
}

function textsOf(fields: readonly TemplateField[], data: Data | undefined): DataDraft {
  return Object.fromEntries(fields.map(({ path }) => [path, textOf(valueAt(data, path))]));
}

function dataOf(fields: readonly TemplateField[], draft: DataDraft, before: Data): Data {
  return fields.reduce((data, { path, kind }) => {
    const text = draft[path] ?? '';
    return withValueAt(data, path, text === '' ? undefined : valueIn(kind, text));
  }, before);
}

function problemOf(fields: readonly TemplateField[], draft: DataDraft): string | undefined {
  const [first] = fields.flatMap(({ path, kind }) => {
    const problem = notOfKind(kind, draft[path] ?? '');
    return problem ? [`${path}: ${problem}`] : [];
  });
  return first;
}
