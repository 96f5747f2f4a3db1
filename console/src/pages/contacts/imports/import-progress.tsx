import { Alert, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { MOST_PROBLEMS } from '../../../api/limits.ts';
import { Panel } from '../../../frame/detail.tsx';
import { type Column, List } from '../../../frame/list.tsx';
import { capitalized } from '../../../letters.ts';
import { Time } from '../../../show/time.tsx';
import counts from '../../campaigns/campaigns.module.css';
import type { Import } from './import-queries.ts';
import { doneOf, refusedWords } from './import-words.ts';

const COUNTS = {
  rows: 'Rows',
  inserted: 'New contacts',
  updated: 'Updated',
  unchanged: 'Unchanged',
  refused: 'Refused',
} as const satisfies Partial<Record<keyof Import, string>>;

interface Given {
  readonly shown: Import;
  readonly title?: string;
  readonly action?: ReactNode;
}

/** How far an import is, what its rows came to, and the first that were refused. */
export function ImportProgress({ shown, title = 'Progress', action }: Given): ReactNode {
  return (
    <>
      {shown.error ? (
        <Alert color="red" title="The rest of the file could not be read">
          {capitalized(shown.error)}. {shown.dry_run ? '' : 'What was imported before stays.'}
        </Alert>
      ) : null}
      <Panel title={title} action={action} flush>
        <div style={{ padding: '14px 16px 16px' }}>
          <Group justify="space-between" mb={8} role="status">
            <Text size="sm">{stateWords(shown)}</Text>
            <Text size="sm" c="dimmed">
              {shown.ended_at ? <Time at={shown.ended_at} /> : `${Math.floor(doneOf(shown))} %`}
            </Text>
          </Group>
          <Progress
            value={doneOf(shown)}
            size={10}
            aria-label="Progress of the import"
            color={shown.status === 'failed' ? 'red' : undefined}
          />
        </div>
        <dl className={counts.counts} data-columns={5}>
          {Object.entries(COUNTS).map(([name, label]) => (
            <div key={name} className={counts.count}>
              <dt>{label}</dt>
              <dd>
                <Text span fz={20} fw={600} lh={1.2}>
                  {shown[name as keyof typeof COUNTS].toLocaleString('en')}
                </Text>
              </dd>
            </div>
          ))}
        </dl>
      </Panel>
      <Problems shown={shown} />
    </>
  );
}

function stateWords({ status, dry_run }: Import): string {
  switch (status) {
    case 'running':
      return dry_run ? 'Checking. Nothing is written' : 'Importing. You can leave this page';
    case 'paused':
      return 'Paused. It goes on with the next row when you resume it';
    case 'completed':
      return dry_run ? 'Checked. Nothing was written' : 'Imported';
    case 'cancelled':
      return dry_run ? 'Cancelled' : 'Cancelled. What was imported stays';
    default:
      return 'Failed';
  }
}

type Problem = Import['problems'][number];

const COLUMNS: readonly Column<Problem>[] = [
  { title: 'Problem', cell: ({ message }) => capitalized(message) },
  { title: 'Column', isNamed: true, width: 180, cell: ({ column }) => column ?? 'The whole row' },
  { title: 'Row', isNamed: true, width: 90, align: 'right', cell: ({ row }) => row.toLocaleString('en') },
];

/** The first rows that were refused, and why; rows are counted without the names of the columns. */
function Problems({ shown }: Pick<Given, 'shown'>): ReactNode {
  if (shown.refused === 0) return null;
  const most = shown.refused > MOST_PROBLEMS ? `The first ${MOST_PROBLEMS} of them. ` : '';
  return (
    <>
      <Text size="sm">
        Refused: {refusedWords(shown)}. {most}The first row below the names of the columns is row 1.
      </Text>
      <List
        label="Refused rows"
        columns={COLUMNS}
        rows={shown.problems}
        rowKey={({ row }) => String(row)}
        onRetry={() => undefined}
        empty={{ title: 'None' }}
      />
    </>
  );
}
