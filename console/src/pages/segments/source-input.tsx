import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useVocabulary } from '../../frame/vocabulary.ts';
import { CONTACT_SOURCE_WORDS, contactSource, sourceOf } from '../../show/words.ts';

interface Given extends Omit<AutocompleteProps, 'data' | 'value' | 'onChange' | 'onBlur'> {
  readonly source: string;
  /** It is compared with a part of a source, of which there are no words. */
  readonly isPart?: boolean;
  readonly onChange: (source: string) => void;
}

/** Where contacts come from: those of the project are offered first, then those that contacts have by themselves, by their words; any other may be typed. */
export function SourceInput({ source, isPart = false, onChange, ...given }: Given): ReactNode {
  /** One of a project's own may begin like another is called by the API: words take its place once the field is left. */
  const [typed, setTyped] = useState<string>();
  const meant = typed === undefined ? undefined : sourceOf(typed).trim();
  const own = useVocabulary().sources.map(contactSource);
  const offered = [...new Set([...own, ...CONTACT_SOURCE_WORDS])].filter((each) => each !== '');
  return (
    <Autocomplete
      {...given}
      data={isPart ? [] : offered}
      value={typed !== undefined && meant === source ? typed : isPart ? source : contactSource(source)}
      onBlur={() => setTyped(undefined)}
      onChange={(text) => {
        setTyped(text);
        onChange(sourceOf(text).trim());
      }}
    />
  );
}
