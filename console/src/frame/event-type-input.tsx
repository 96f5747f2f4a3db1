import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useVocabulary } from './vocabulary.ts';

const MOST_OFFERED = 60;

/** A type of event: those that the project has had are offered, and any other may be typed. */
export function EventTypeInput(given: Omit<AutocompleteProps, 'data' | 'limit' | 'size'>): ReactNode {
  const { eventTypes } = useVocabulary();
  return <Autocomplete {...given} size="xs" data={[...eventTypes]} limit={MOST_OFFERED} />;
}
