import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { lockContacts } from '../../db/queries/contacts/contacts.ts';
import { takeChecks } from '../../db/queries/segments/membership-checks.ts';
import { type LookingTrigger, nextToLookAt } from '../../db/queries/segments/membership-looks.ts';
import type { SegmentRule } from '../../db/queries/segments/segment-filter.ts';
import {
  keepChanges,
  membershipChanges,
  type OpenTrigger,
  openTriggers,
  segmentLabelled,
} from '../../db/queries/segments/segment-triggers.ts';
import { endLook, lockLook, markLooked } from '../../db/queries/sequences/trigger-looks.ts';
import { changesUnnoted } from '../../domain/segments/unnoted-changes.ts';
import { enrollByTrigger } from '../sequences/enroll-by-trigger.ts';

/** Where the clock alone changes who is a member, everybody is compared so often at most. */
const LOOK_EVERY_MS = 60_000;

/**
 * Works off the next changes of contacts of a project: who has become a member enters, in the transaction that keeps the membership, so that whoever dies,
 * or looks at once with another, enrolls nobody twice. Whether there may be more to do.
 */
export async function checkMembers(em: EntityManager, projectId: string, newId: () => string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const checks = await takeChecks(tx, projectId);
    const triggers = await openTriggers(tx, projectId);
    if (checks.length === 0 || triggers.length === 0) return checks.length > 0;
    const contacts = await lockContacts(tx, projectId, { ids: checks.map(({ contact_id }) => contact_id) });
    const ofOthers = new Set(checks.flatMap(({ contact_id, sandboxed }) => (sandboxed ? [] : [contact_id])));
    const bySandbox = Object.groupBy(contacts, ({ id }) => (ofOthers.has(id) ? 'live' : 'sandboxed'));
    for (const trigger of triggers) {
      const rule = await segmentLabelled(tx, projectId, trigger.label);
      await settleMembers(tx, { trigger, rule, contacts: bySandbox.live ?? [], isSandboxed: false, newId });
      await settleMembers(tx, { trigger, rule, contacts: bySandbox.sandboxed ?? [], isSandboxed: true, newId });
    }
    return true;
  });
}

/** Compares the next contacts of a trigger with its members, all of which its look has in the end. Whether there may be more to do. */
export async function lookAtMembers(em: EntityManager, triggerId: string, newId: () => string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const trigger = await lockLook<LookingTrigger>(tx, 'segment_triggers', triggerId);
    if (!trigger) return false;
    const rule = await segmentLabelled(tx, trigger.project_id, trigger.label);
    const looked = await nextToLookAt(tx, trigger, rule);
    const last = looked.at(-1);
    if (!last) {
      const isTimed = rule !== undefined && changesUnnoted(rule.filter);
      await endLook(tx, 'segment_triggers', trigger.id, isTimed ? LOOK_EVERY_MS : null);
      return false;
    }
    const ids = looked.flatMap(({ id, differs }) => (differs ? [id] : []));
    const contacts = ids.length === 0 ? [] : await lockContacts(tx, trigger.project_id, { ids });
    await settleMembers(tx, { trigger, rule, contacts, isSandboxed: false, newId });
    await markLooked(tx, 'segment_triggers', trigger.id, last);
    return true;
  });
}

interface Settling {
  readonly trigger: OpenTrigger;
  /** undefined: there is no such segment. */
  readonly rule: SegmentRule | undefined;
  /** Their rows are locked. */
  readonly contacts: readonly ContactRow[];
  readonly isSandboxed: boolean;
  readonly newId: () => string;
}

/** Keeps who of the contacts is a member now, and enrolls those who have become one. */
async function settleMembers(tx: EntityManager, { trigger, rule, contacts, isSandboxed, newId }: Settling): Promise<void> {
  if (contacts.length === 0) return;
  const ids = contacts.map(({ id }) => id);
  const joined = new Set(await keepChanges(tx, trigger, await membershipChanges(tx, trigger, rule, ids)));
  const entering = contacts.filter(({ id }) => joined.has(id));
  await enrollByTrigger(tx, trigger, { contacts: entering, isSandboxed, newId });
}
