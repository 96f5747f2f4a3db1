import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { firstLapse, lookUpFacts } from '../../db/queries/conditions/condition-facts.ts';
import type { LockedEnrollment } from '../../db/queries/sequences/locked-enrollment.ts';
import type { Condition } from '../../domain/conditions/condition.ts';
import { createJudge } from '../../domain/conditions/judge.ts';
import { lapsingFacts } from '../../domain/conditions/lapsing.ts';
import { isSandboxAddress } from '../../domain/sends/sandbox.ts';
import { conditionsOf } from '../../domain/sequences/conditions-of.ts';
import type { SequenceGraph } from '../../domain/sequences/graph.ts';
import { WALK_LIMITS, WalkBudget } from '../../domain/sequences/walk-budget.ts';
import { createWalkContext, type WalkContext } from '../../domain/sequences/walk-context.ts';
import { changeContacts } from '../contacts/change-contacts.ts';

/** What the walk of an enrollment depends on. */
export interface EnrollmentContext extends WalkContext {
  /** As update_contact nodes have changed it. */
  readonly contact: ContactRow;
  /** Writes what update_contact nodes have changed, if they have. */
  save(): Promise<void>;
  /** In how many milliseconds the clock alone may first make one of these conditions another; undefined: never. */
  turnsInMs(conditions: readonly Condition[]): Promise<number | undefined>;
}

/** What is live may depend on the contact, but mail to a reserved address never leaves. */
const UNCHANGED = 'nothing: a test key asked for this run, and other runs depend on the contact';

/** The least that is answered: a run never asks more often. */
const SOONEST_TURN_MS = 1_000;

/** Reads whatever the graph's conditions ask for in one statement, and nothing when there are none. */
export async function enrollmentContext(
  tx: EntityManager,
  enrollment: LockedEnrollment,
  graph: SequenceGraph,
  now: Date,
): Promise<EnrollmentContext> {
  const { project_id, contact_id, sequence_key, contact, event_data } = enrollment;
  const event = event_data ?? undefined;
  const about = { projectId: project_id, contactId: contact_id, isSandboxed: enrollment.sandboxed };
  const facts = await lookUpFacts(tx, { ...about, conditions: conditionsOf(graph), event, now });
  const judge = createJudge(facts, event);
  const context = createWalkContext<ContactRow>({
    graph,
    sequenceKey: sequence_key,
    contact,
    event,
    judge,
    budget: new WalkBudget(WALK_LIMITS),
    now,
    unchanged: enrollment.sandboxed && !isSandboxAddress(contact.email) ? UNCHANGED : undefined,
  });
  let saved = contact;
  const save = async (): Promise<void> => {
    if (context.contact === saved) return;
    await changeContacts(tx, [saved], [context.contact], { by: { cause: 'sequence', id: enrollment.id }, now });
    saved = context.contact;
  };
  const turnsInMs = async (conditions: readonly Condition[]): Promise<number | undefined> => {
    const lapse = await firstLapse(tx, about, lapsingFacts(conditions, facts));
    // At that very instant it still holds.
    return lapse && Math.max(SOONEST_TURN_MS, lapse.getTime() + 1 - now.getTime());
  };
  // Object.assign keeps the getter of the contact.
  return Object.assign(context, { save, turnsInMs });
}
