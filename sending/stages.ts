import { badDataMessage, isDatabaseUnavailable } from '../db/errors.ts';
import type { EntityManager } from '../db/orm.ts';
import { type FactsQuery, readSendFacts, type SendFacts } from '../db/queries/sends/send-facts.ts';
import type { SendGate } from '../db/queries/sends/send-gates.ts';
import { type OpenedSend, openMany, type SendIntent } from '../db/queries/sends/send-intents.ts';
import { type BatchLimits, inBatches, inKeyedBatches, type Splitting, settledTogether } from '../platform/batches.ts';
import type { IntentStages, Stages } from './batch-deps.ts';
import type { Composer } from './compose/composer.ts';

/** Of a statement for several mails that fails: what may be the fault of one of them is tried mail by mail. */
const SPLITTING: Splitting = {
  mayBeOnesAlone: (error: unknown) => !isDatabaseUnavailable(error),
  isOnesOwn: (error: unknown) => badDataMessage(error) !== undefined,
  aloneAtOnce: 2,
};

export interface StagesDeps extends Pick<IntentStages, 'submit' | 'outcomes'> {
  readonly em: EntityManager;
  readonly composer: Pick<Composer, 'compose' | 'recycle'>;
}

/** Batches that are under way at the same time share their statements within these limits. */
export type Sharing = Pick<BatchLimits, 'most' | 'atOnce'>;

/** The stages of mails that have a row each. `sharing` undefined: each batch, which is of one project, has its own statements. */
export function createStages({ em, composer, submit, outcomes }: StagesDeps, sharing: Sharing | undefined): Stages {
  const { facts, open } = sharing ? sharedStatements(em, sharing) : ownStatements(em);
  return {
    facts,
    // Each batch by itself, so that no slow template holds up another.
    compose: (batch) => composer.compose(batch),
    recycle: (batch) => composer.recycle(batch),
    open,
    submit,
    outcomes,
  };
}

type Statements = Pick<Stages, 'facts' | 'open'>;

function ownStatements(em: EntityManager): Statements {
  return {
    facts: (batch) => settledTogether((queries) => readSendFacts(em, queries), batch, SPLITTING),
    open: (gate, batch) => settledTogether((intents) => openMany(em, gate, intents), batch, SPLITTING),
  };
}

function sharedStatements(em: EntityManager, sharing: Sharing): Statements {
  const limits = { ...sharing, ...SPLITTING };
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
    open: (gate, batch) => Promise.allSettled(batch.map(openingsAt(gate))),
  };
}
