import { Button, Group, Paper, Skeleton, Table, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Empty, type EmptyProps } from '../show/empty.tsx';
import { FailureNotice } from '../show/failure-notice.tsx';
import classes from './list.module.css';
import type { Paging } from './paging.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly width?: number | string | { readonly base: number | string; readonly sm: number | string };
  readonly align?: 'right';
  /** Left out where there is little room; what matters is told by the first column too. */
  readonly wideOnly?: boolean;
}

interface Given<Row> {
  /** What the list is of, for screen readers. */
  readonly label: string;
  /** The first names the row; it is the link to it. */
  readonly columns: readonly Column<Row>[];
  /** undefined while they are read for the first time. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /** Where a row leads, if anywhere. */
  readonly rowLink?: (row: Row) => string;
  /** Other rows are being read. */
  readonly isChanging?: boolean;
  readonly error?: unknown;
  readonly onRetry: () => void;
  readonly empty: EmptyProps;
  /** The number of all that match, where the API tells it. */
  readonly total?: number | undefined;
  readonly paging?: Pick<Paging, 'next' | 'previous'>;
}

/** A list as a table: rows that are links, and what to show while there are none. */
export function List<Row>(given: Given<Row>): ReactNode {
  const { label, columns, rows, rowKey, rowLink, isChanging = false, error, onRetry, empty, total, paging } = given;
  if (error && !rows) return <FailureNotice error={error} onRetry={onRetry} />;
  return (
    <>
      {error ? <FailureNotice error={error} onRetry={onRetry} /> : null}
      <Paper withBorder radius="lg" className={classes.frame} aria-busy={isChanging || !rows}>
        {rows?.length === 0 ? (
          <Empty {...empty} />
        ) : (
          <Table aria-label={label} layout="fixed" className={classes.table} data-changing={isChanging || undefined}>
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ title, width, align, wideOnly }) => (
                  <Table.Th key={title} w={width} ta={align} visibleFrom={wideOnly ? 'sm' : undefined}>
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows
                ? rows.map((row) => (
                    <Table.Tr key={rowKey(row)} className={rowLink ? classes.linked : undefined}>
                      {columns.map(({ title, cell, align, wideOnly }, index) => (
                        <Table.Td key={title} ta={align} visibleFrom={wideOnly ? 'sm' : undefined}>
                          {index === 0 && rowLink ? (
                            <Link href={rowLink(row)} className={classes.link}>
                              {cell(row)}
                            </Link>
                          ) : (
                            cell(row)
                          )}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))
                : SKELETONS.map((width) => (
                    <Table.Tr key={width}>
                      {columns.map(({ title, wideOnly }, index) => (
                        <Table.Td key={title} visibleFrom={wideOnly ? 'sm' : undefined}>
                          <Skeleton h={12} my={4} w={index === 0 ? width : '60%'} />
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
            </Table.Tbody>
          </Table>
        )}
      </Paper>
      {rows && rows.length > 0 && (paging || total !== undefined) ? (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {total === undefined ? '' : `${total.toLocaleString('en')} in all`}
          </Text>
          {paging ? <PageButtons paging={paging} /> : null}
        </Group>
      ) : null}
    </>
  );
}

/** The ways to the pages beside this one; nothing when there are none. */
export function PageButtons({ paging }: { readonly paging: Pick<Paging, 'next' | 'previous'> }): ReactNode {
  if (!paging.next && !paging.previous) return null;
  return (
    <Group gap="xs" role="navigation" aria-label="Pages">
      <Button variant="default" leftSection={<IconChevronLeft size={14} />} disabled={!paging.previous} onClick={paging.previous}>
        Previous
      </Button>
      <Button variant="default" rightSection={<IconChevronRight size={14} />} disabled={!paging.next} onClick={paging.next}>
        Next
      </Button>
    </Group>
  );
}

const SKELETONS = [220, 180, 240, 200, 160, 230, 190, 210];
