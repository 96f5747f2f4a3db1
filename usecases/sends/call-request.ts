import { readMailbox } from '../../domain/contacts/mailbox.ts';
import { NO_TEMPLATE } from '../../domain/sends/send.ts';
import type { SendCall } from '../../domain/sends/send-call.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import type { BroughtContent } from '../../sending/compose/own-contents.ts';
import type { MailRequest } from '../../sending/request.ts';

/** What a call of POST /send asks for, whenever it is to go. `entry`: undefined when the registry has none any more. */
export function callRequest(projectId: string, entry: RegistryEntry | undefined, call: SendCall): Omit<MailRequest, 'identity'> {
  const { template, to, contactId, type, locale, subject, data, brand, from, details } = call;
  return {
    projectId,
    template: entry?.key ?? template ?? NO_TEMPLATE,
    entry,
    recipient: contactId ? { contactId } : { email: readMailbox(to as string)?.email as string },
    type: type ?? undefined,
    brand: brand ?? undefined,
    locale: locale ?? undefined,
    subject: subject ?? undefined,
    data: data ?? {},
    event: undefined,
    from: from ? { email: from.email, ...(from.name ? { name: from.name } : {}) } : undefined,
    sourceId: null,
    details,
  };
}

/** Content that a call brings in place of a template; undefined: it names one. */
export function broughtBy({
  template,
  html,
  text,
  content,
}: Pick<SendCall, 'template' | 'html' | 'text' | 'content'>): BroughtContent | undefined {
  if (template != null) return undefined;
  return content != null ? { blocks: content } : { html: html ?? undefined, text: text ?? undefined };
}
