import { badDataMessage, isDatabaseUnavailable } from '../db/errors.ts';
import type { EntityManager } from '../db/orm.ts';
import { type FactsQuery, readSendFacts, type SendFacts } from '../db/queries/sends/send-facts.ts';
import type { SendGate } from '../db/queries/sends/send-gates.ts';
import { type OpenedSend, openMany, type SendIntent } from '../db/queries/sends/send-intents.ts';
import { type BatchLimits, inBatches, inKeyedBatches } from '../platform/batches.ts';
import type { IntentStages, Stages } from './batch-deps.ts';
import type { Composer } from './compose/composer.ts';

/** Of a statement for several mails that fails: what may be the fault of one of them is tried mail by mail. */
const SPLITTING = {
  mayBeOnesAlone: (error: unknown) => !isDatabaseUnavailable(error),
  isOnesOwn: (error: unknown) => badDataMessage(error) !== undefined,
  aloneAtOnce: 2,
};

export interface StagesDeps extends Pick<IntentStages, 'submit' | 'outcomes'> {
  readonly em: EntityManager;
  readonly composer: Pick<Composer, 'compose' | 'recycle'>;
}

/** The stages of mails that have a row each. Batches that are under way at the same time share their statements within these limits. */
export function createStages({ em, composer, submit, outcomes }: StagesDeps, together: Pick<BatchLimits, 'most' | 'atOnce'>): Stages {
  const limits = { ...together, ...SPLITTING };
  const facts = inBatches((batch: readonly FactsQuery[]) => readSendFacts(em, batch), limits);
  const opens = new Map<SendGate, (intent: SendIntent) => Promise<OpenedSend>>();
  // A row of one project that is locked holds up no other project's.
  const openingsAt = (gate: SendGate): ((intent: SendIntent) => Promise<OpenedSend>) => {
    const known =
      opens.get(gate) ??
      inKeyedBatches(
        (batch: readonly SendIntent[]) => openMany(em, gate, batch),
        ({ projectId }) => projectId,
        limits,
      );
    opens.set(gate, known);
    return known;
  };
  return {
    facts: (batch) => Promise.allSettled(batch.map(async (query) => (await facts([query]))[0] as SendFacts)),
    // Each batch by itself, so that no slow template holds up another.
    compose: (batch) => composer.compose(batch),
    recycle: (batch) => composer.recycle(batch),
    open: (gate, batch) => Promise.allSettled(batch.map(openingsAt(gate))),
    submit,
    outcomes,
  };
}
