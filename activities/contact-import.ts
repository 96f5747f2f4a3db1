import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { endImport } from '../db/queries/contacts/imports.ts';
import { type ImportDeps, importInPortions } from '../usecases/contacts/import-contacts.ts';
import type { ImportInput, ImportReport } from '../workflows/contracts.ts';

/** It works for so long, then the workflow shows how far it is, and others have their turn. */
const TURN_MS = 10_000;

/** What the workflow of an import may ask for. */
export function createImportActivities({ orm, ...deps }: ImportDeps & { readonly orm: MikroORM }) {
  return {
    /** Each portion is one transaction that says how far it is, so a turn that is broken off goes on there. */
    async importRows({ importId }: ImportInput): Promise<ImportReport> {
      const context = Context.current();
      const signal = AbortSignal.any([context.cancellationSignal, AbortSignal.timeout(TURN_MS)]);
      return importInPortions(orm.em.fork(), deps, importId, { signal, progress: (said) => context.heartbeat(said) });
    },

    /** Cancelled in Temporal: what was imported stays. */
    async importCancelled({ importId }: ImportInput): Promise<void> {
      await orm.em.fork().transactional((tx) => endImport(tx, importId, 'cancelled'));
    },
  };
}

export type ImportActivities = ReturnType<typeof createImportActivities>;
