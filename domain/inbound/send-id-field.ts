import { validate as isUuid } from 'uuid';

/** Under this name a provider keeps the id of a send beside its mail, and tells it with the mail's events. Postmark takes names of 20 characters at most. */
export const SEND_ID_FIELD = 'everpost_send_id';

/** The send that an event names so; nothing where it names none. */
export function namedSend(fields: Readonly<Record<string, unknown>> | null | undefined): { readonly sendId?: string } {
  const id = fields?.[SEND_ID_FIELD];
  return typeof id === 'string' && isUuid(id) ? { sendId: id } : {};
}
