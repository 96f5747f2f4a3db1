import { Radio, Select, SimpleGrid, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MOST_TAGS } from '../../../api/limits.ts';
import { Panel } from '../../../frame/detail.tsx';
import { useVocabulary } from '../../../frame/vocabulary.ts';
import { useSession } from '../../../session/session.tsx';
import type { ImportDraft } from './import-draft.ts';

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab', '|': '|' };

interface Given {
  readonly draft: ImportDraft;
  /** As it is read: found out unless it is chosen. */
  readonly delimiter: string;
  /** A column has several tags in a cell. */
  readonly hasTags: boolean;
  readonly errorOf: (path: string) => string | undefined;
  readonly onChange: (change: Partial<ImportDraft>) => void;
}

/** How the file is read, and what its rows come to. */
export function ImportOptions({ draft, delimiter, hasTags, errorOf, onChange }: Given): ReactNode {
  const { tags } = useVocabulary();
  const { brands } = useSession();
  return (
    <Panel title="Options">
      <Stack gap="md">
        <Radio.Group
          label="Contacts that exist"
          value={draft.onExisting}
          onChange={(onExisting) => onChange({ onExisting: onExisting as ImportDraft['onExisting'] })}
        >
          <Stack gap={8} mt={6}>
            <Radio value="update" label="Update them with what their rows say. Empty cells change nothing" />
            <Radio value="skip" label="Leave them as they are, and only add new contacts" />
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          Rows that say unsubscribed, bounced or suppressed, or turn a topic off, always win: over what is there, over other rows of the
          file, and for contacts that are left as they are. No row subscribes anybody again, and nobody is asked to confirm. Import only
          people who agreed to get your emails.
        </Text>
        <TagsInput
          label="Tags for everyone in the file"
          placeholder={draft.tags.length === 0 ? 'newsletter' : undefined}
          description="Added to those that they have"
          maxTags={MOST_TAGS}
          data={[...tags]}
          value={[...draft.tags]}
          error={errorOf('settings.tags')}
          onChange={(chosen) => onChange({ tags: chosen })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Select
            label="Between cells"
            allowDeselect={false}
            data={Object.entries(DELIMITERS).map(([value, label]) => ({ value, label }))}
            value={draft.delimiter ?? delimiter}
            error={errorOf('settings.delimiter')}
            onChange={(chosen) => onChange({ delimiter: chosen ?? undefined })}
          />
          {hasTags ? (
            <TextInput
              label="Between the tags of a cell"
              maxLength={3}
              required
              value={draft.tagSeparator}
              error={errorOf('settings.tagSeparator')}
              onChange={(event) => onChange({ tagSeparator: event.currentTarget.value })}
            />
          ) : null}
          {brands.length > 1 ? (
            <Select
              label="Brand of new contacts"
              placeholder={brands.find(({ is_default }) => is_default)?.name}
              clearable
              data={brands.map(({ slug, name }) => ({ value: slug, label: name }))}
              value={draft.brand}
              error={errorOf('settings.brand')}
              onChange={(brand) => onChange({ brand })}
            />
          ) : null}
        </SimpleGrid>
        <Switch
          label="The first row has the names of the columns"
          checked={draft.header}
          onChange={(event) => onChange({ header: event.currentTarget.checked })}
        />
      </Stack>
    </Panel>
  );
}
