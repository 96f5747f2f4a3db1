import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './filter-bar.module.css';
import { filterWidth } from './filter-bar.tsx';
import type { Filters } from './filters.ts';

interface Given {
  readonly filters: Filters;
  readonly name: string;
  readonly label: string;
  /** What it is set to, in words; while they are read, and where there are none, it is shown as the address has it. */
  readonly words?: string | undefined;
}

/** A filter that a link has set: what it is of, and a click takes it out. */
export function FilterChip({ filters, name, label, words = filters.get(name) }: Given): ReactNode {
  const told = `${label}: ${words}`;
  return (
    <Button
      variant="default"
      size="xs"
      fw={400}
      maw={filterWidth(320)}
      classNames={{ root: classes.long, label: classes.chip }}
      rightSection={<IconX size={13} aria-hidden />}
      title={told}
      aria-label={`Remove the filter ${told}`}
      onClick={() => filters.set(name, '')}
    >
      {told}
    </Button>
  );
}
