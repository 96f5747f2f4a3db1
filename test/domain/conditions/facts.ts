import type { ConditionFacts, ContactFacts } from '../../../domain/conditions/evaluate.ts';
import { NO_CONTACT_TEXTS } from '../../../domain/contacts/fields.ts';

/** Ann, with no look-up answered by yes. */
export function factsOf({
  contact,
  ...rest
}: { contact?: Partial<ContactFacts> } & Partial<Omit<ConditionFacts, 'contact'>> = {}): ConditionFacts {
  return {
    contact: {
      status: 'subscribed',
      email: 'ann@example.com',
      source: 'import',
      brand: 'acme',
      ...NO_CONTACT_TEXTS,
      ...{ first_name: 'Ann', timezone: 'Europe/Berlin', locale: 'de-DE' },
      tags: ['vip', 'beta'],
      topics: {},
      created_at: new Date('2026-01-02T03:04:05.678Z'),
      ...contact,
    },
    attributes: {},
    event: undefined,
    segments: new Set(),
    events: new Set(),
    emails: new Set(),
    ...rest,
  };
}
