import { Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../../frame/detail.tsx';
import type { GraphDraft } from './graph-draft.ts';

interface Given {
  readonly draft: GraphDraft;
  readonly onChange: (draft: GraphDraft, what: string) => void;
}

/** The name of a sequence, and who enters it. */
export function SettingsEditor({ draft, onChange }: Given): ReactNode {
  const { name, reentry, triggers } = draft;
  const typesOf = triggers.map(({ config }) => String(config.type));
  return (
    <Panel title="Sequence">
      <Stack gap="sm">
        <TextInput
          label="Name"
          size="xs"
          value={name}
          onChange={(event) => onChange({ ...draft, name: event.currentTarget.value }, 'name')}
        />
        <TagsInput
          label="Entered by events"
          placeholder={typesOf.length > 0 ? undefined : 'signed_up'}
          size="xs"
          value={typesOf}
          onChange={(types) =>
            onChange(
              {
                ...draft,
                triggers: types.map(
                  (type) => triggers.find(({ config }) => config.type === type) ?? { kind: 'event', config: { type }, enabled: true },
                ),
              },
              'triggers',
            )
          }
        />
        <Select
          label="Who was in it enters again"
          size="xs"
          allowDeselect={false}
          data={[
            { value: 'once_ever', label: 'Never' },
            { value: 'once_active', label: 'When that run has ended' },
            { value: 'always', label: 'Always' },
          ]}
          value={reentry}
          onChange={(value) => onChange({ ...draft, reentry: value as GraphDraft['reentry'] }, 'reentry')}
        />
        <Text size="xs" c="dimmed">
          Goal, frequency cap and conditions of triggers are set as JSON.
        </Text>
      </Stack>
    </Panel>
  );
}
