import { Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useVocabulary } from '../../frame/vocabulary.ts';
import { timeZonesWith } from '../../show/time-zones.ts';
import type { ContactDraft, TextField } from './contact-draft.ts';

/** Of time zones or tags that are offered at a time. */
const MOST_OFFERED = 40;

interface Given {
  readonly draft: ContactDraft;
  readonly onChange: (change: Partial<ContactDraft>) => void;
  readonly errorOf: (name: string) => string | undefined;
}

/** Who a contact is: names, time zone, language, tags. */
export function PersonFields({ draft, onChange, errorOf }: Given): ReactNode {
  const { tags } = useVocabulary();
  const text = (name: TextField) => ({
    value: draft[name],
    error: errorOf(name),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <TextInput label="First name" maxLength={200} autoComplete="off" {...text('firstName')} />
        <TextInput label="Last name" maxLength={200} autoComplete="off" {...text('lastName')} />
        <TextInput label="Display name" maxLength={200} autoComplete="off" {...text('displayName')} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Select
          label="Time zone"
          placeholder="Not known"
          searchable
          clearable
          limit={MOST_OFFERED}
          data={timeZonesWith(draft.timezone)}
          value={draft.timezone || null}
          error={errorOf('timezone')}
          onChange={(zone) => onChange({ timezone: zone ?? '' })}
        />
        <TextInput label="Language" placeholder="en-GB" autoComplete="off" {...text('locale')} />
      </SimpleGrid>
      <TagsInput
        label="Tags"
        placeholder={draft.tags.length > 0 ? '' : 'Type one, then Enter'}
        clearable
        maxTags={100}
        acceptValueOnBlur
        data={[...tags]}
        limit={MOST_OFFERED}
        value={[...draft.tags]}
        error={errorOf('tags')}
        onChange={(chosen) => onChange({ tags: chosen })}
      />
    </>
  );
}
