import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import tables from './campaigns.module.css';

interface TableGiven {
  readonly label: string;
  readonly columns: readonly string[];
  /** The class that says how its numbers look. */
  readonly numbers: string | undefined;
  /** Its rows. */
  readonly children: ReactNode;
}

/** A table whose rows are cards on a phone. It says its roles itself, since what is not laid out as a table has none. */
export function CardTable({ label, columns, numbers, children }: TableGiven): ReactNode {
  return (
    <Table role="table" aria-label={label} className={`${numbers} ${tables.cards}`}>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row" c="dimmed" fz="xs">
          {columns.map((name) => (
            <Table.Th key={name} role="columnheader" fw={500}>
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">{children}</Table.Tbody>
    </Table>
  );
}

interface CellGiven {
  /** Of its column, which a card has no head for. */
  readonly name: string;
  readonly children: ReactNode;
}

/** A cell of it. */
export function CardCell({ name, children }: CellGiven): ReactNode {
  return (
    <Table.Td role="cell">
      <Text size="xs" c="dimmed" hiddenFrom="sm" aria-hidden>
        {name}
      </Text>
      {children}
    </Table.Td>
  );
}
