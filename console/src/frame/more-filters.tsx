import { Button, Menu } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { TextFilter } from './filter-bar.tsx';
import type { Filters } from './filters.ts';

/** A filter by a text that a list shows when it is chosen, or set. */
export interface RareFilter {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly width?: number;
  /** Whether a text that is being typed can be asked for already; others are not asked for. */
  readonly isWhole?: (text: string) => boolean;
}

/** Filters for which the bar has no room at once: those that are set, and a menu of the others, each there once. */
export function MoreFilters({ filters, rare }: { readonly filters: Filters; readonly rare: readonly RareFilter[] }): ReactNode {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const isShown = ({ name }: RareFilter): boolean => filters.get(name) !== '' || chosen.includes(name);
  const others = rare.filter((one) => !isShown(one));
  return (
    <>
      {rare.filter(isShown).map((one) => (
        <TextFilter key={one.name} filters={filters} {...one} hasFocus={chosen.includes(one.name)} />
      ))}
      {others.length > 0 ? (
        <Menu position="bottom-start" returnFocus={false}>
          <Menu.Target>
            <Button variant="subtle" color="gray" leftSection={<IconPlus size={14} aria-hidden />}>
              More filters
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map(({ name, label }) => (
              <Menu.Item key={name} onClick={() => setChosen([...chosen, name])}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </>
  );
}
