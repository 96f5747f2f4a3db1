import { conditionsOf } from '../../domain/sequence/conditions-of.ts';
import type { SequenceGraph } from '../../domain/sequence/graph.ts';
import { createTraveller } from '../../domain/sequence/traveller.ts';
import type { Traveller } from '../../domain/sequence/walk.ts';
import type { ContactRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { judgeFor } from './condition-facts.ts';
import { writeContact } from './contacts.ts';
import type { LockedEnrollment } from './locked-enrollment.ts';

/** A contact on a real run. */
export interface EnrolledTraveller extends Traveller {
  /** Writes what update_contact nodes have changed, if they have. */
  save(): Promise<void>;
}

/** Reads whatever the graph's conditions ask for in one statement, and nothing when there are none. */
export async function travellerFor(
  tx: EntityManager,
  enrollment: LockedEnrollment,
  graph: SequenceGraph,
  now: Date,
): Promise<EnrolledTraveller> {
  const { project_id, contact_id, sequence_key, contact, event_data } = enrollment;
  const event = event_data ?? undefined;
  const judge = await judgeFor(tx, { projectId: project_id, contactId: contact_id, conditions: conditionsOf(graph), event, now });
  const traveller = createTraveller<ContactRow>({ graph, sequenceKey: sequence_key, contact, event, judge, now });
  let saved = contact;
  return Object.assign(traveller, {
    async save() {
      if (traveller.contact === saved) return;
      await writeContact(tx, saved, traveller.contact, now);
      saved = traveller.contact;
    },
  });
}
