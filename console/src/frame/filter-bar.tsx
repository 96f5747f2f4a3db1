import { ActionIcon, Autocomplete, Group, Select, Text, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { Filters } from './filters.ts';

const TYPING_MS = 250;
const MOST_SUGGESTED = 30;

/** The filters of a list in one row. */
export function FilterBar({ filters, children }: { readonly filters: Filters; readonly children: ReactNode }): ReactNode {
  return (
    <Group gap="xs" role="search" align="flex-end">
      {children}
      {filters.any ? (
        <Tooltip label="Clear filters">
          <ActionIcon size={30} onClick={filters.clear} aria-label="Clear">
            <IconX size={15} />
          </ActionIcon>
        </Tooltip>
      ) : null}
    </Group>
  );
}

interface TextGiven {
  readonly filters: Filters;
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly isSearch?: boolean;
  /** What may be meant; anything else can be typed. */
  readonly suggestions?: readonly string[];
  readonly width?: number;
}

/** A text to filter by, in the address as soon as one stops typing. */
export function TextFilter({
  filters,
  name,
  label,
  placeholder = label,
  isSearch = false,
  suggestions,
  width = 160,
}: TextGiven): ReactNode {
  const inAddress = filters.get(name);
  const [text, setText] = useState(inAddress);
  const [shown, setShown] = useState(inAddress);
  // The address has changed by itself: back, or all filters cleared.
  if (inAddress !== shown) {
    setShown(inAddress);
    setText(inAddress);
  }
  const apply = useDebouncedCallback((value: string) => filters.set(name, value.trim()), TYPING_MS);
  useEffect(() => setShown(inAddress), [inAddress]);
  const change = (value: string): void => {
    setText(value);
    apply(value);
  };
  const shared = {
    'aria-label': label,
    placeholder,
    size: 'xs',
    w: { base: isSearch ? '100%' : width, sm: isSearch ? 240 : width },
    leftSection: isSearch ? <IconSearch size={14} aria-hidden /> : undefined,
    value: text,
  } as const;
  return suggestions ? (
    <Autocomplete {...shared} data={[...suggestions]} limit={MOST_SUGGESTED} onChange={change} />
  ) : (
    <TextInput {...shared} onChange={(event) => change(event.currentTarget.value)} />
  );
}

interface ChoiceGiven {
  readonly filters: Filters;
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (string | { readonly value: string; readonly label: string })[];
  readonly width?: number;
}

/** One of a few values to filter by, or all. */
export function ChoiceFilter({ filters, name, label, choices, width = 150 }: ChoiceGiven): ReactNode {
  return (
    <Select
      aria-label={label}
      placeholder={label}
      size="xs"
      w={width}
      clearable
      data={choices.map((choice) => (typeof choice === 'string' ? { value: choice, label: capitalized(choice) } : choice))}
      value={filters.get(name) || null}
      onChange={(value) => filters.set(name, value ?? '')}
    />
  );
}

/** A day to filter by, in the address like `2026-06-01`. */
export function DayFilter({ filters, name, label }: Pick<TextGiven, 'filters' | 'name' | 'label'>): ReactNode {
  const value = filters.get(name);
  return (
    <TextInput
      type="date"
      aria-label={label}
      size="xs"
      w={152}
      leftSection={
        <Text span size="xs" c="dimmed">
          {label}
        </Text>
      }
      leftSectionWidth={label.length * 6 + 18}
      value={value}
      onChange={(event) => filters.set(name, event.currentTarget.value)}
    />
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
