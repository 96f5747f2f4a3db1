import { CONTACT_TEXTS } from '../../../show/contact-texts.ts';
import type { Topic } from '../../topics/topic-queries.ts';

const LABELS: Readonly<Record<string, string>> = {
  email: 'Email',
  ...Object.fromEntries(Object.values(CONTACT_TEXTS).map(({ column, label }) => [column, label])),
  ...{ status: 'Status', suppressed: 'Suppressed', source: 'Source', tags: 'Tags' },
  ...{
    'consent.source': 'Consent: source',
    'consent.ip': 'Consent: IP address',
    'consent.user_agent': 'Consent: browser',
    'consent.at': 'Consent: time',
  },
};
const TOPIC = 'topics.';
const ATTRIBUTE = 'attributes.';

/** What a field of a contact is called, as the API names it; one of a later version is told as it is. */
export function fieldWords(field: string, topics: readonly Topic[]): string {
  if (field.startsWith(ATTRIBUTE)) return `Attribute: ${field.slice(ATTRIBUTE.length)}`;
  if (!field.startsWith(TOPIC)) return LABELS[field] ?? field;
  const key = field.slice(TOPIC.length);
  return `Topic: ${topics.find((topic) => topic.key === key)?.name ?? key}`;
}
