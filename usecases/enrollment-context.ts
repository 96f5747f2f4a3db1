import type { ContactRow } from '../db/entities/index.ts';
import type { EntityManager } from '../db/orm.ts';
import { judgeFor } from '../db/queries/condition-facts.ts';
import { writeContact } from '../db/queries/contacts.ts';
import type { LockedEnrollment } from '../db/queries/locked-enrollment.ts';
import { conditionsOf } from '../domain/sequence/conditions-of.ts';
import type { SequenceGraph } from '../domain/sequence/graph.ts';
import { WALK_LIMITS, WalkBudget } from '../domain/sequence/walk-budget.ts';
import { createWalkContext, type WalkContext } from '../domain/sequence/walk-context.ts';

/** What the walk of an enrollment depends on. */
export interface EnrollmentContext extends WalkContext {
  /** As update_contact nodes have changed it. */
  readonly contact: ContactRow;
  /** Writes what update_contact nodes have changed, if they have. */
  save(): Promise<void>;
}

/** Reads whatever the graph's conditions ask for in one statement, and nothing when there are none. */
export async function enrollmentContext(
  tx: EntityManager,
  enrollment: LockedEnrollment,
  graph: SequenceGraph,
  now: Date,
): Promise<EnrollmentContext> {
  const { project_id, contact_id, sequence_key, contact, event_data } = enrollment;
  const event = event_data ?? undefined;
  const judge = await judgeFor(tx, { projectId: project_id, contactId: contact_id, conditions: conditionsOf(graph), event, now });
  const context = createWalkContext<ContactRow>({
    graph,
    sequenceKey: sequence_key,
    contact,
    event,
    judge,
    budget: new WalkBudget(WALK_LIMITS),
    now,
  });
  let saved = contact;
  const save = async (): Promise<void> => {
    if (context.contact === saved) return;
    await writeContact(tx, saved, context.contact, { by: { cause: 'sequence', id: enrollment.id }, now });
    saved = context.contact;
  };
  // Object.assign keeps the getter of the contact.
  return Object.assign(context, { save });
}
