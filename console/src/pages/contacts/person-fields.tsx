import { Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { LONGEST_NAME, MOST_TAGS } from '../../api/limits.ts';
import { keysOf } from '../../frame/choices.ts';
import { useVocabulary } from '../../frame/vocabulary.ts';
import { CONTACT_TEXTS, type ContactTextName, NAMES, TRAITS } from '../../show/contact-texts.ts';
import { timeZonesWith } from '../../show/time-zones.ts';
import type { ContactDraft } from './contact-draft.ts';

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
  const text = (name: ContactTextName) => ({
    label: CONTACT_TEXTS[name].label,
    placeholder: CONTACT_TEXTS[name].placeholder,
    value: draft[name],
    error: errorOf(name),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        {keysOf(NAMES).map((name) => (
          <TextInput key={name} maxLength={LONGEST_NAME} autoComplete="off" {...text(name)} />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {keysOf(TRAITS).map((name) =>
          name === 'timezone' ? (
            <Select
              key={name}
              {...text(name)}
              placeholder="Not known"
              searchable
              clearable
              limit={MOST_OFFERED}
              data={timeZonesWith(draft.timezone)}
              value={draft.timezone || null}
              onChange={(zone) => onChange({ timezone: zone ?? '' })}
            />
          ) : (
            <TextInput key={name} autoComplete="off" {...text(name)} />
          ),
        )}
      </SimpleGrid>
      <TagsInput
        label="Tags"
        placeholder={draft.tags.length > 0 ? '' : 'Type a tag and press Enter'}
        clearable
        maxTags={MOST_TAGS}
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
