import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useVocabulary } from './vocabulary.ts';

const MOST_OFFERED = 60;

interface Given extends Omit<AutocompleteProps, 'data' | 'limit' | 'size'> {
  /** Offered before all others. */
  readonly first?: readonly string[];
}

/** A type of event: those that the project has had are offered, and any other may be typed. */
export function EventTypeInput({ first = [], ...given }: Given): ReactNode {
  const { eventTypes } = useVocabulary();
  return <Autocomplete {...given} size="xs" data={[...new Set([...first, ...eventTypes])]} limit={MOST_OFFERED} />;
}
