import type { MikroORM } from '../db/orm.ts';
import { expireConfirmation } from '../db/queries/contacts/confirmations.ts';
import { advanceConfirmation, type ConfirmationDeps } from '../usecases/contacts/advance-confirmation.ts';
import type { ConfirmationInput, ConfirmationReport } from '../workflows/contracts.ts';
import { withHeartbeats } from './heartbeats.ts';

/** What the workflow of a confirmation may ask for. */
export function createConfirmationActivities({ orm, ...deps }: ConfirmationDeps & { readonly orm: MikroORM }) {
  return {
    /** Its mails have keys of their own: done again after a crash it sends none twice. */
    advanceConfirmation: ({ confirmationId }: ConfirmationInput): Promise<ConfirmationReport> =>
      withHeartbeats(() => advanceConfirmation(orm.em.fork(), deps, confirmationId)),

    /** Cancelled in Temporal: nobody is asked any more. */
    async confirmationCancelled({ confirmationId }: ConfirmationInput): Promise<void> {
      await expireConfirmation(orm.em.fork(), confirmationId);
    },
  };
}

export type ConfirmationActivities = ReturnType<typeof createConfirmationActivities>;
