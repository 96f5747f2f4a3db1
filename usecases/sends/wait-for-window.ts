import type { EntityManager } from '../../db/orm.ts';
import { windowFacts } from '../../db/queries/sends/window-facts.ts';
import { type SendWindow, windowInstant } from '../../domain/send-window.ts';
import type { SendType } from '../../domain/sends/send.ts';
import type { MailRequest } from '../../sending/request.ts';

/** A call, as far as it decides whether its mail waits. */
export interface WindowedCall extends Pick<MailRequest, 'recipient'> {
  readonly type: SendType;
  /** As it is kept. */
  readonly key: string | undefined;
}

/**
 * When the mail of a call goes that comes now; undefined: at once. A call that is made again under its key gets the answer that it had: while its mail
 * waits it does so still, though the window is open by now, and once it was opened the window is asked no more.
 */
export async function waitsForWindow(
  em: EntityManager,
  project: { readonly id: string; readonly send_window: SendWindow | null },
  { type, recipient, key }: WindowedCall,
  now: Date,
): Promise<Date | undefined> {
  const { id, send_window: window } = project;
  if (!window || (type !== 'marketing' && !window.transactional)) return undefined;
  const { timezone, waits_until, is_opened } = await windowFacts(em, id, { recipient, key });
  if (waits_until) return waits_until;
  if (is_opened) return undefined;
  const at = windowInstant(window, timezone, now);
  return at > now ? at : undefined;
}
