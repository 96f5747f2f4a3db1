import { Button, Group, Paper, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type MouseEvent, memo, type ReactNode } from 'react';
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
  /** Its cells have mostly two lines. */
  readonly hasTwoLines?: boolean;
  /** Left out where there is no room for columns, as on a phone: the first has a line of its own there, and the others share the one below. */
  readonly wideOnly?: boolean;
  /** Left out where there is room for columns, but not for all: the first, which names the row, is to be read. */
  readonly roomyOnly?: boolean;
  /** Its title stands before it where no header is seen. */
  readonly isNamed?: boolean;
  /** It has a line of its own where there is no room for columns. */
  readonly isOwnLine?: boolean;
}

interface Given<Row> {
  /** What the list is of, for screen readers. */
  readonly label: string;
  /** The first names the row; it is the link to it. The others have a width, as little as they need. Rows are drawn again with other columns. */
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
  /** The number of all that match, where the API tells it. It may be known before their rows, so it is not shown beside those of before. */
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
            <Titles columns={columns} />
            <Table.Tbody role="rowgroup">
              {rows
                ? rows.map((row) => <Line key={rowKey(row)} row={row} columns={columns} link={rowLink?.(row)} />)
                : SKELETONS.map((width) => <LineSkeleton key={width} width={width} columns={columns} />)}
            </Table.Tbody>
          </Table>
        )}
      </Paper>
      {rows && rows.length > 0 && (paging || total !== undefined) ? (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {total === undefined || isChanging ? '' : `${total.toLocaleString('en')} in total`}
          </Text>
          {paging ? <PageButtons paging={paging} /> : null}
        </Group>
      ) : null}
    </>
  );
}

function Titles<Row>({ columns }: Pick<Given<Row>, 'columns'>): ReactNode {
  return (
    <Table.Thead role="rowgroup">
      <Table.Tr role="row">
        {columns.map(({ title, width, align, wideOnly, roomyOnly }) => (
          <Table.Th
            key={title}
            role="columnheader"
            w={width}
            ta={align}
            data-in-columns={wideOnly || undefined}
            data-roomy-only={roomyOnly || undefined}
          >
            {title}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}

/** Roles are said, since a table that is laid out otherwise, as it is on a phone, is none to screen readers. */
const ROW = { role: 'row' } as const;
const CELL = { role: 'cell' } as const;

interface LineGiven<Row> extends Pick<Given<Row>, 'columns'> {
  readonly row: Row;
  /** Where it leads; undefined: nowhere. */
  readonly link: string | undefined;
}

/** Most changes of a page change none of its rows, which are most of it. */
const Line = memo(function Line<Row>({ row, columns, link }: LineGiven<Row>): ReactNode {
  const isLinked = link !== undefined;
  return (
    <tr {...ROW} className={isLinked ? classes.linked : undefined} onClick={isLinked ? followFromTime : undefined}>
      {columns.map((column, index) => (
        <Cell key={column.title} column={column}>
          {index === 0 && isLinked ? (
            <Link href={link} className={classes.link}>
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </Cell>
      ))}
    </tr>
  );
}) as <Row>(given: LineGiven<Row>) => ReactNode;

/** In the place of a line that is being read. */
function LineSkeleton<Row>({ columns, width }: Pick<Given<Row>, 'columns'> & { readonly width: number }): ReactNode {
  return (
    <tr {...ROW}>
      {columns.map((column, index) => (
        <Cell key={column.title} column={column}>
          <Skeleton h={11} my={4} w={index === 0 ? width : '60%'} maw="100%" miw={48} ml={column.align && 'auto'} />
          {column.hasTwoLines ? <Skeleton h={9} mt={9} mb={4} w={width / 2} maw="100%" /> : null}
        </Cell>
      ))}
    </tr>
  );
}

/** A time lies above the link of its row, so that all of it is told on hover; a click on it is one on the link. */
function followFromTime({ target, currentTarget, nativeEvent }: MouseEvent<HTMLElement>): void {
  if (!(target as HTMLElement).closest('time')) return;
  const { ctrlKey, metaKey, shiftKey } = nativeEvent;
  const click = new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey });
  currentTarget.querySelector(`.${classes.link}`)?.dispatchEvent(click);
}

/** What screen readers tell when other rows are there; nothing while they are read. */
function toldOf(rows: readonly unknown[] | undefined, isChanging: boolean): string {
  if (!rows || isChanging) return '';
  return rows.length === 0 ? 'Nothing found' : `${rows.length} shown`;
}

/** One of a row, plain as CellText is. */
function Cell<Row>({ column, children }: { readonly column: Column<Row>; readonly children: ReactNode }): ReactNode {
  const { title, align, wideOnly, roomyOnly, isNamed, isOwnLine } = column;
  return (
    <td
      {...CELL}
      data-in-columns={wideOnly || undefined}
      data-roomy-only={roomyOnly || undefined}
      data-at-end={align === 'right' || undefined}
      data-own-line={isOwnLine || undefined}
    >
      {isNamed ? (
        <>
          <span className={classes.named} data-in-lines aria-hidden>
            {title}
          </span>
          <div>{children}</div>
        </>
      ) : (
        children
      )}
    </td>
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
