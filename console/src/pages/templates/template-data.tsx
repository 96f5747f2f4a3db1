import { Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { type DataDraft, DataFields } from './data-fields.tsx';
import type { TemplateField } from './template-queries.ts';

interface Given {
  readonly schema: { readonly dataSchema: readonly TemplateField[]; readonly systemVars: readonly string[] };
  readonly data: DataDraft;
  readonly onChange: (data: DataDraft) => void;
}

/** What a template takes, filled with samples, and what it fills in by itself. */
export function TemplateData({ schema: { dataSchema, systemVars }, data, onChange }: Given): ReactNode {
  return (
    <Panel title="Data">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          What the published version takes, with samples. They are for the preview and test mails only.
        </Text>
        {dataSchema.length > 0 ? <DataFields fields={dataSchema} draft={data} onChange={onChange} /> : null}
        {systemVars.length > 0 ? (
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              Filled in by itself
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
