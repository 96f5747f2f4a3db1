import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type DataDraft, DataFields, notOfKind, textOf, valueIn } from '../../templates/data-fields.tsx';
import { type TemplateField, templateSchemaQuery } from '../../templates/template-queries.ts';
import { type Data, valueAt, withValueAt } from './data-paths.ts';

interface Given {
  /** A template of the project. */
  readonly template: string;
  /** The slug; undefined: the brand of each contact. */
  readonly brand: string | undefined;
  readonly data: Data | undefined;
  /** `problem`: a text that is not of its field's kind, which the data is without. */
  readonly onChange: (data: Data | undefined, problem: string | undefined) => void;
}

/** What a template takes, each in a field; what else the data has stays. Nothing for a template that takes nothing. */
export function MailData({ template, brand, data, onChange }: Given): ReactNode {
  const { data: schema } = useQuery(templateSchemaQuery(template, brand));
  /** As typed, as long as the data is what was made of it. */
  const [typed, setTyped] = useState<{ readonly draft: DataDraft; readonly made: Data | undefined }>();
  const fields = schema?.dataSchema ?? [];
  if (fields.length === 0) return null;
  const draft = typed && typed.made === data ? typed.draft : textsOf(fields, data);
  const change = (next: DataDraft): void => {
    const made = dataOf(fields, next, data ?? {});
    const given = Object.keys(made).length > 0 ? made : undefined;
    setTyped({ draft: next, made: given });
    onChange(given, problemOf(fields, next));
  };
  return (
    <Stack gap="sm" role="group" aria-label="What the template takes">
      <div>
        <Text size="xs" fw={500}>
          What the template takes
        </Text>
        <Text size="xs" c="dimmed">
          The same for every contact. What they have of their own, and what came with the event, the template reads by itself.
        </Text>
      </div>
      <DataFields fields={fields} draft={draft} onChange={change} />
    </Stack>
  );
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
