import type { ContactStatus } from '../contacts/contact.ts';
import { NO_CONTACT_TEXTS } from '../contacts/fields.ts';
import type { TopicChoices } from '../contacts/topic.ts';
import type { WalkContact } from './walk-context.ts';

/** What may be said of a contact that exists only in a simulation. */
export interface MadeUpContact {
  readonly status?: ContactStatus | null | undefined;
  readonly source?: string | null | undefined;
  readonly timezone?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | null | undefined;
  readonly topics?: TopicChoices | null | undefined;
}

/** A subscribed contact with the id `simulated`, as far as nothing else is said of it. */
export function madeUpContact({ status, source, timezone, tags, attributes, topics }: MadeUpContact, now: Date): WalkContact {
  return {
    id: 'simulated',
    email: '',
    status: status ?? 'subscribed',
    brand_id: '',
    source: source ?? '',
    ...NO_CONTACT_TEXTS,
    tags: [...(tags ?? [])],
    timezone: timezone ?? null,
    attributes: attributes ?? {},
    topics: topics ?? {},
    consent_source: null,
    consent_ip: null,
    consent_user_agent: null,
    consent_at: null,
    created_at: now,
  };
}
