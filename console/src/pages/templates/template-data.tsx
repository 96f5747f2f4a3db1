import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { type DataDraft, DataFields, samplesOf } from './data-fields.tsx';
import { DeclaredVariables } from './declared-variables.tsx';
import type { TemplateSchema } from './template-queries.ts';

interface Given {
  readonly templateKey: string;
  readonly schema: TemplateSchema;
  /** Whether its variables may be declared anew. */
  readonly canDeclare: boolean;
  /** What the preview left empty. */
  readonly missing: readonly string[];
  readonly data: DataDraft;
  readonly onChange: (data: DataDraft) => void;
}

/** What a template takes, filled with samples, and what it fills in by itself. */
export function TemplateData({ templateKey, schema, canDeclare, missing, data, onChange }: Given): ReactNode {
  const { dataSchema, systemVars } = schema;
  const [isDeclaring, setDeclaring] = useState(false);
  if (isDeclaring) {
    return (
      <DeclaredVariables
        templateKey={templateKey}
        schema={schema}
        found={undeclared(schema, missing)}
        // What was typed for the preview stays.
        onSaved={(saved) => onChange({ ...samplesOf(saved), ...data })}
        onClose={() => setDeclaring(false)}
      />
    );
  }
  const edit = (
    <Button variant="default" size="xs" onClick={() => setDeclaring(true)}>
      Edit variables
    </Button>
  );
  return (
    <Panel title="Data" action={canDeclare ? edit : undefined}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          The fields of this email with sample values, used only for previews and test emails.
        </Text>
        {dataSchema.length > 0 ? <DataFields fields={dataSchema} draft={data} onChange={onChange} /> : null}
        {systemVars.length > 0 ? (
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              Filled in automatically
            </Text>
            <Group gap={4}>
              {systemVars.map((name) => (
                <Code key={name}>{name}</Code>
              ))}
            </Group>
          </div>
        ) : null}
      </Stack>
    </Panel>
  );
}

/** What is published or being written reads, and nothing declares. */
function undeclared({ dataSchema, declared, systemVars }: TemplateSchema, missing: readonly string[]): string[] {
  const ours = new Set([...systemVars, 'contact', 'event', 'brand', 'recipient', 'unsubscribeUrl', 'subject', 'now'].map(rootOf));
  const read = new Set([...dataSchema.map(({ path }) => path), ...missing]);
  return [...read].filter(
    (path) => !ours.has(rootOf(path)) && declared.every((field) => field.path !== path && !path.startsWith(`${field.path}.`)),
  );
}

function rootOf(path: string): string {
  return path.split('.', 1)[0] ?? '';
}
