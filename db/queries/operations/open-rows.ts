import { type RawBuilder, sql } from 'kysely';
import type { WorkflowType } from '../../../workflows/contracts.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { row, rows } from '../../rows.ts';
import { hasNoStart, workflowIdOf } from './outbox.ts';

interface OfTable {
  readonly table: string;
  /** What `isOpen` calls a row. */
  readonly alias: string;
  /** Whether the workflow of a row should run. */
  readonly isOpen: RawBuilder<unknown>;
}

/** How the rows of a table are found whose workflow should run. */
export interface OpenRows {
  /** Those after this one (null: from the first), in order of their ids. */
  batch(em: EntityManager, after: string | null, limit: number): Promise<string[]>;
  /** Which of these it should. */
  among(em: EntityManager, ids: readonly string[]): Promise<string[]>;
  /** Those of these, and of whose workflow no start is on its way. */
  toStart(em: EntityManager, ids: readonly string[]): Promise<{ readonly id: string; readonly project_id: string }[]>;
}

export function openRows(type: WorkflowType, { table, alias, isOpen }: OfTable): OpenRows {
  const [from, id, projectId] = [sql`${sql.table(table)} ${sql.ref(alias)}`, sql.ref(`${alias}.id`), sql.ref(`${alias}.project_id`)];
  const areAmong = (ids: readonly string[]) => sql`${id} = any(${ids}::uuid[]) and ${isOpen}`;
  return {
    async batch(em, after, limit) {
      const isNext = sql`${isOpen} and ${id} > ${after ?? LOWEST_ID}::uuid`;
      return idsOf(await rows(em, sql<{ id: string }>`select ${id} from ${from} where ${isNext} order by ${id} limit ${limit}`));
    },
    among: async (em, ids) => idsOf(await rows(em, sql<{ id: string }>`select ${id} from ${from} where ${areAmong(ids)}`)),
    toStart: (em, ids) =>
      rows(
        em,
        sql<{ id: string; project_id: string }>`
          select ${id}, ${projectId} from ${from} where ${areAmong(ids)} and ${hasNoStart(workflowIdOf(type, `${alias}.id`))}`,
      ),
  };
}

/** Ends the row of a workflow that runs. Whether it did run. */
export async function endRunning(
  tx: EntityManager,
  table: 'bulk_enrollments' | 'enrollment_actions' | 'webhook_retries',
  { id, status }: { readonly id: string; readonly status: string },
): Promise<boolean> {
  const ended = await row(
    tx,
    sql`update ${sql.table(table)} set status = ${status}, ended_at = now() where id = ${id} and status = 'running' returning 1`,
  );
  return ended !== undefined;
}

function idsOf(found: readonly { readonly id: string }[]): string[] {
  return found.map(({ id }) => id);
}
