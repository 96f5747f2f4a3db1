import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { endBulk } from '../db/queries/sequences/bulk-enrollments.ts';
import { enrollInPortions } from '../usecases/sequences/enroll-segment.ts';
import type { BulkInput, BulkReport } from '../workflows/contracts.ts';

/** It works for so long, then the workflow shows how far it is, and others have their turn. */
const TURN_MS = 5_000;

/** What the workflow of a bulk enrollment may ask for. */
export function createBulkActivities({ orm, newId }: { readonly orm: MikroORM; readonly newId: () => string }) {
  return {
    /** Each portion is one transaction that says how far it is, so a turn that is broken off goes on there. */
    async enrollSegment({ bulkId }: BulkInput): Promise<BulkReport> {
      const context = Context.current();
      const signal = AbortSignal.any([context.cancellationSignal, AbortSignal.timeout(TURN_MS)]);
      return enrollInPortions(orm.em.fork(), bulkId, { signal, newId, progress: (soFar) => context.heartbeat(soFar) });
    },

    /** Cancelled in Temporal: who was enrolled stays so. */
    async bulkCancelled({ bulkId }: BulkInput): Promise<void> {
      await orm.em.fork().transactional((tx) => endBulk(tx, bulkId, 'cancelled'));
    },
  };
}

export type BulkActivities = ReturnType<typeof createBulkActivities>;
