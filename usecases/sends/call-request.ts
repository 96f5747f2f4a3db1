import type { SendCall } from '../../domain/sends/send-call.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import type { MailRequest } from '../../sending/request.ts';

/** What a call of POST /send asks for, whenever it is to go. `entry`: undefined when the registry has none any more. */
export function callRequest(projectId: string, entry: RegistryEntry | undefined, call: SendCall): Omit<MailRequest, 'identity'> {
  const { template, to, contactId, type, subject, data, brand, from } = call;
  return {
    projectId,
    template: entry?.key ?? template,
    entry,
    recipient: contactId ? { contactId } : { email: to as string },
    type: type ?? undefined,
    brand: brand ?? undefined,
    subject: subject ?? undefined,
    data: data ?? {},
    event: undefined,
    from: from ? { email: from.email, ...(from.name ? { name: from.name } : {}) } : undefined,
    sourceId: null,
  };
}
