import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { judgeFor } from '../../db/queries/conditions/condition-facts.ts';
import type { SequenceWithGraph } from '../../db/queries/sequences/sequences.ts';
import type { Condition } from '../../domain/conditions/condition.ts';
import type { EventPattern } from '../../domain/sequences/schema-parts.ts';

/** An event on its way through the transaction that accepts it. */
export interface ArrivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly now: Date;
  readonly newId: () => string;
  /** Of a test key: it is one for sandboxed runs alone. */
  readonly isSandboxed: boolean;
}

/** Whether an enabled trigger of the sequence is for this very event. */
export async function triggers(
  tx: EntityManager,
  { graph }: Pick<SequenceWithGraph, 'graph'>,
  contact: ContactRow,
  event: ArrivedEvent,
): Promise<boolean> {
  for (const trigger of graph.triggers)
    if (trigger.enabled && trigger.kind === 'event' && (await fits(tx, trigger.config, contact, event))) return true;
  return false;
}

/** Whether the event is one of this pattern, for this contact. */
export async function fits(tx: EntityManager, { type, match }: EventPattern, contact: ContactRow, event: ArrivedEvent): Promise<boolean> {
  if (type !== event.type) return false;
  return match === undefined || holds(tx, match, contact, event);
}

async function holds(tx: EntityManager, condition: Condition, contact: ContactRow, event: ArrivedEvent): Promise<boolean> {
  const judge = await judgeFor(tx, {
    projectId: contact.project_id,
    contactId: contact.id,
    conditions: [condition],
    event: event.data,
    now: event.now,
    isSandboxed: event.isSandboxed,
  });
  return judge(contact, condition);
}
