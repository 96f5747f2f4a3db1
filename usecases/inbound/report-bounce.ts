import type { EntityManager } from '../../db/orm.ts';
import type { ClosedSend } from '../../db/queries/sends/send-outcomes.ts';
import { bounceCode } from '../../domain/sends/send.ts';
import { applyCopyEvent, applyProviderEvent } from './apply-provider-event.ts';

/** The hard bounce that a provider reported at the submission already, in the transaction that gives the send its outcome. `message`: its words. `copy`: whose address it is, if not that of `to`. */
export async function reportBounce(tx: EntityManager, send: ClosedSend, message: string, copy?: string): Promise<void> {
  const code = bounceCode(message);
  const bounce = { kind: 'hard', ...(code ? { code } : {}) } as const;
  const now = send.closed_at ?? send.opened_at;
  const report = { status: 'bounced', bounce, occurredAt: now, isFirst: true, softBounceLimit: 1, now } as const;
  await (copy === undefined ? applyProviderEvent(tx, send, report) : applyCopyEvent(tx, send, copy, report));
}
