import { Button, Group, Paper, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
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
  readonly width?: number | string;
  readonly align?: 'right';
  /** Left out on a phone, where the first column has a line of its own and the others share the one below. */
  readonly wideOnly?: boolean;
  /** Its title stands before it on a phone, where no header is seen. */
  readonly isNamed?: boolean;
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
      <VisuallyHidden role="status">{toldOf(rows, isChanging)}</VisuallyHidden>
      <Paper withBorder radius="lg" className={classes.frame} aria-busy={isChanging || !rows}>
        {rows?.length === 0 ? (
          <Empty {...empty} />
        ) : (
          <Table role="table" aria-label={label} layout="fixed" className={classes.table} data-changing={isChanging || undefined}>
            <Table.Thead role="rowgroup">
              <Table.Tr role="row">
                {columns.map(({ title, width, align, wideOnly }) => (
                  <Table.Th key={title} role="columnheader" w={width} ta={align} visibleFrom={wideOnly ? 'sm' : undefined}>
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">
              {rows
                ? rows.map((row) => (
                    <Table.Tr key={rowKey(row)} role="row" className={rowLink ? classes.linked : undefined}>
                      {columns.map((column, index) => (
                        <Cell key={column.title} column={column}>
                          {index === 0 && rowLink ? (
                            <Link href={rowLink(row)} className={classes.link}>
                              {column.cell(row)}
                            </Link>
                          ) : (
                            column.cell(row)
                          )}
                        </Cell>
                      ))}
                    </Table.Tr>
                  ))
                : SKELETONS.map((width) => (
                    <Table.Tr key={width} role="row">
                      {columns.map((column, index) => (
                        <Cell key={column.title} column={column}>
                          <Skeleton h={12} my={4} w={index === 0 ? width : '60%'} miw={48} />
                        </Cell>
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

/** What screen readers tell when other rows are there; nothing while they are read. */
function toldOf(rows: readonly unknown[] | undefined, isChanging: boolean): string {
  if (!rows || isChanging) return '';
  return rows.length === 0 ? 'Nothing found' : `${rows.length} shown`;
}

/** One of a row. Roles are said, since a table that is laid out otherwise, as it is on a phone, is none to screen readers. */
function Cell<Row>({ column, children }: { readonly column: Column<Row>; readonly children: ReactNode }): ReactNode {
  const { title, align, wideOnly, isNamed } = column;
  return (
    <Table.Td role="cell" ta={align} visibleFrom={wideOnly ? 'sm' : undefined} data-at-end={align === 'right' || undefined}>
      {isNamed ? (
        <>
          <Text span inherit c="dimmed" hiddenFrom="sm" aria-hidden>
            {title}
          </Text>
          <div>{children}</div>
        </>
      ) : (
        children
      )}
    </Table.Td>
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
