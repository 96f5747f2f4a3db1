import type { EntityManager } from '../../../db/orm.ts';
import { type SendTopic, topicOfSend } from '../../../db/queries/contacts/topics.ts';
import { suppressionOfSend } from '../../../db/queries/suppressions/suppressions.ts';
import { playsSuppressed } from '../../../domain/sends/sandbox.ts';
import type { KeyedResult } from '../../../sending/sources/call.ts';

/** What keeps the address from getting mail, and the call that ends it; the log has the reason alone. */
export async function whyNotSent(em: EntityManager, { reason, sendId }: KeyedResult & { readonly state: 'failed' }): Promise<string> {
  if (reason === 'suppressed') {
    const suppression = await suppressionOfSend(em, sendId);
    if (suppression && playsSuppressed(suppression.to_email)) return `${suppression.to_email} always is: nothing lifts it`;
    if (!suppression?.created_at) return 'the address was suppressed then and is no longer';
    return `since ${suppression.created_at.toISOString()} by ${suppression.reason}; DELETE /suppressions/:email lifts it`;
  }
  if (reason === 'unconfirmed')
    return 'the contact was asked to confirm the sign-up and has not, so it gets no marketing email; GET /contacts/:id has its `confirmation`';
  if (reason === 'topic_off') return whyTopicIsOff(await topicOfSend(em, sendId));
  if (reason !== 'unsubscribed' && reason !== 'bounced') return '';
  return `the contact is ${reason}, so it gets no marketing email; POST /contacts with status subscribed and resubscribe true lifts it`;
}

function whyTopicIsOff(found: SendTopic | undefined): string {
  if (!found?.isThere) return 'there is no such topic any more';
  return found.isChosen
    ? 'the person has turned this topic off; `topics` of POST /contacts with resubscribe true turns it on'
    : 'the topic is off for whoever has not chosen it, as this contact has not; `topics` of POST /contacts turns it on';
}
