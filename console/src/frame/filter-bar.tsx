import { ActionIcon, Autocomplete, Button, Group, Select, Text, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedCallback, useDisclosure, useId } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '@tabler/icons-react';
import { Children, type ReactNode, useEffect, useState } from 'react';
import { capitalized } from '../letters.ts';
import classes from './filter-bar.module.css';
import type { Filters } from './filters.ts';
import { usePosition } from './paging.ts';

const TYPING_MS = 250;
const MOST_SUGGESTED = 30;

/** More than these are behind a button on a phone. */
const MOST_AT_ONCE = 2;

interface BarGiven {
  readonly filters: Filters;
  /** What the list has now, undefined while it is read: there is nothing to filter where it is empty by itself. */
  readonly rows: readonly unknown[] | undefined;
  /** The filter by a text of its own, before the others. */
  readonly search?: ReactNode;
  readonly children?: ReactNode;
}

/** The filters of a list in one row; on a phone, where they are many, behind a button that tells how many are set. */
export function FilterBar({ filters, rows, search, children }: BarGiven): ReactNode {
  const { cursor } = usePosition();
  const [isOpen, { toggle }] = useDisclosure();
  const id = useId();
  if (rows?.length === 0 && !filters.any && !cursor) return null;
  const isMany = Children.toArray(children).length > MOST_AT_ONCE;
  const set = Object.keys(filters.given).filter((name) => name !== 'q').length;
  return (
    <Group gap="xs" role="search" align="flex-end" className={classes.bar} data-many={isMany || undefined}>
      {search}
      {isMany ? (
        <Button
          variant="default"
          className={classes.toggle}
          leftSection={<IconAdjustmentsHorizontal size={15} aria-hidden />}
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={id}
        >
          {set > 0 ? `Filters (${set})` : 'Filters'}
        </Button>
      ) : null}
      <div id={id} className={classes.filters} data-opened={isOpen || undefined}>
        {children}
      </div>
      {filters.any ? (
        <Tooltip label="Clear filters">
          <ActionIcon size={32} onClick={filters.clear} aria-label="Clear">
            <IconX size={15} />
          </ActionIcon>
        </Tooltip>
      ) : null}
    </Group>
  );
}

/** How wide a filter is, in pixels, where the bar does not give it another width. */
export function filterWidth(px: number): string {
  return `var(--filter-width, ${px}px)`;
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
  /** Whether a text that is being typed can be asked for already; what was asked for before stays until then. */
  readonly isWhole?: ((text: string) => boolean) | undefined;
  /** The keyboard is there when it appears. */
  readonly hasFocus?: boolean;
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
  isWhole = () => true,
  hasFocus = false,
}: TextGiven): ReactNode {
  const inAddress = filters.get(name);
  const [text, setText] = useState(inAddress);
  const [shown, setShown] = useState(inAddress);
  // The address has changed by itself: back, or all filters cleared.
  if (inAddress !== shown) {
    setShown(inAddress);
    // Not what was just typed, of which a word may be still to come.
    if (inAddress !== text.trim()) setText(inAddress);
  }
  const apply = useDebouncedCallback((value: string) => {
    if (value.trim() === '' || isWhole(value.trim())) filters.set(name, value.trim());
  }, TYPING_MS);
  useEffect(() => setShown(inAddress), [inAddress]);
  const change = (value: string): void => {
    setText(value);
    apply(value);
  };
  const shared = {
    'aria-label': label,
    placeholder,
    size: 'xs',
    w: isSearch ? { base: '100%', sm: 240 } : filterWidth(width),
    leftSection: isSearch ? <IconSearch size={14} aria-hidden /> : undefined,
    value: text,
    autoFocus: hasFocus,
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
  /** Its choices need a whole line of a phone. */
  readonly isLong?: boolean;
}

/** One of a few values to filter by, or all. */
export function ChoiceFilter({ filters, name, label, choices, width = 150, isLong = false }: ChoiceGiven): ReactNode {
  const value = filters.get(name) || null;
  const all = choices.map((choice) => (typeof choice === 'string' ? { value: choice, label: capitalized(choice) } : choice));
  // What a closed list offers is part of the page, too, and may be hundreds of keys: it is there once somebody comes near.
  const [isNear, setIsNear] = useState(false);
  const comeNear = (): void => setIsNear(true);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      size="xs"
      className={isLong ? classes.long : undefined}
      w={filterWidth(width)}
      clearable
      data={isNear ? all : all.filter((choice) => choice.value === value)}
      value={value}
      onFocus={comeNear}
      onPointerEnter={comeNear}
      onChange={(chosen) => filters.set(name, chosen ?? '')}
    />
  );
}

/** From a day on, to another: as `from` and `to`, side by side. */
export function DaysFilter({ filters }: Pick<TextGiven, 'filters'>): ReactNode {
  return (
    <div className={classes.days}>
      <DayFilter filters={filters} name="from" label="From" />
      <DayFilter filters={filters} name="to" label="To" />
    </div>
  );
}

/** A day to filter by, in the address like `2026-06-01`; a link may name a moment of one. */
function DayFilter({ filters, name, label }: Pick<TextGiven, 'filters' | 'name' | 'label'>): ReactNode {
  const value = filters.get(name);
  return (
    <TextInput
      type="date"
      aria-label={label}
      size="xs"
      className={classes.long}
      w={filterWidth(136 + label.length * 7)}
      leftSection={
        <Text span size="xs" c="dimmed">
          {label}
        </Text>
      }
      leftSectionWidth={label.length * 7 + 18}
      value={value.slice(0, '2026-06-01'.length)}
      onChange={(event) => filters.set(name, event.currentTarget.value)}
    />
  );
}
