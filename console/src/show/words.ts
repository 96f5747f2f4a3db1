import type { Schemas } from '../api/client.ts';

interface Source {
  readonly name: string;
  /** Behind "by". */
  readonly by: string;
}

/** What can ask for a mail, as the send log names it. */
export const SEND_SOURCES: Readonly<Record<Schemas['SendSource'], Source>> = {
  api: { name: 'API call', by: 'an API call' },
  sequence: { name: 'Sequence', by: 'a sequence' },
  campaign: { name: 'Campaign', by: 'a campaign' },
  test: { name: 'Test email', by: 'a test email' },
  confirmation: { name: 'Confirmation', by: 'double opt-in' },
};

/** What asked for a mail; one of a later version is told as it is. */
export function sendSource(type: string): Source {
  const known: Readonly<Record<string, Source>> = SEND_SOURCES;
  return known[type] ?? { name: type, by: type };
}

/** Where contacts come from by themselves. */
const CONTACT_SOURCES: Readonly<Record<string, string>> = {
  api: 'API call',
  event: 'Product event',
  send: 'First email to the address',
  campaign: 'Campaign',
  console: 'Console',
};

/** The sources that contacts have by themselves, to choose from. */
export const CONTACT_SOURCE_WORDS: readonly string[] = Object.values(CONTACT_SOURCES);

/** The source that is meant by what is typed: one of those above by its words, or another by its name. */
export function sourceOf(typed: string): string {
  const words = typed.trim().toLowerCase();
  return Object.entries(CONTACT_SOURCES).find(([, name]) => name.toLowerCase() === words)?.[0] ?? typed;
}

/** Where a contact came from; what a program said of it is told as it is. */
export function contactSource(source: string): string {
  return CONTACT_SOURCES[source] ?? source;
}

/** Who reported what became of a mail; '' where that has no name. */
export function reporterWords(provider: string): string {
  return provider === '' || provider === 'generic' ? '' : `reported by ${provider}`;
}

/** What a mail is made of: the key of its template, or what its call brought. */
export function madeOf(template: string | null | undefined): string {
  return template ?? 'content of the call';
}
