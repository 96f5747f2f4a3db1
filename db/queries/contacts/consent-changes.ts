import { sql } from 'kysely';
import type { ConsentCause, ConsentRecord } from '../../../domain/contacts/consent.ts';
import { changedTopics } from '../../../domain/contacts/topic.ts';
import type { ContactRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** A contact as it was and as it is, in the order of time. */
export type ChangedContact = readonly [before: ContactRow, after: ContactRow];

/**
 * Keeps what changed of the contacts' status, topics and consent, all in one statement and in the transaction of the change. What a first change
 * replaces is kept with it, so a contact without changes needs no row: its own one says how it came to be. A consent that is given once more,
 * with the same source, address and browser, is no change by itself.
 */
export async function keepConsentChanges(
  tx: EntityManager,
  contacts: readonly ChangedContact[],
  { cause, id, person }: ConsentCause,
  at: Date,
): Promise<void> {
  const changes = contacts.flatMap(([before, after]) => {
    const topics = changedTopics(before.topics, after.topics);
    // A consent that is given once more shows what a choice came by.
    const isSame = sameConsent(before, after) && !(topics && before.consent_at?.getTime() !== after.consent_at?.getTime());
    if (isSame && !topics && before.status === after.status) return [];
    const records = isSame ? {} : { consent_before: consentOf(before), consent_after: consentOf(after) };
    const choices = topics ? { topics_before: topics.before, topics_after: topics.after } : {};
    const moved = { from_status: before.status, to_status: after.status };
    return [{ contact_id: after.id, project_id: after.project_id, ...moved, ...records, ...choices }];
  });
  if (changes.length === 0) return;
  await row(
    tx,
    sql`
      insert into consent_changes (project_id, contact_id, at, from_status, to_status, cause, cause_id, consent_before, consent_after,
        topics_before, topics_after, by_ip, by_user_agent)
      select w.project_id, w.contact_id, ${at}, w.from_status, w.to_status, ${cause}, ${id}, w.consent_before, w.consent_after,
        w.topics_before, w.topics_after, ${person?.ip ?? null}, ${person?.userAgent ?? null}
      from jsonb_populate_recordset(null::consent_changes, ${JSON.stringify(changes)}::jsonb) w`,
  );
}

function sameConsent(a: ContactRow, b: ContactRow): boolean {
  return a.consent_source === b.consent_source && a.consent_ip === b.consent_ip && a.consent_user_agent === b.consent_user_agent;
}

function consentOf({ consent_source, consent_ip, consent_user_agent, consent_at }: ContactRow): ConsentRecord {
  return { source: consent_source, ip: consent_ip, user_agent: consent_user_agent, at: consent_at?.toISOString() ?? null };
}
