import type { Schemas } from '../../api/client.ts';
import { capitalized } from '../../letters.ts';

type DomainRecord = Schemas['DomainRecord'];

/**
 * Where a key is in its turn. `signing`: email is signed with it now. `first`: it is to be, and none of its algorithm is. `new`: it takes the place of one
 * that signs. `earlier`: its record was lost, and a newer key is to sign. `old`: it has had its turn.
 */
export type KeyRole = 'signing' | 'first' | 'new' | 'earlier' | 'old';

/** The role of the key of a record among all of its domain; undefined of other records. */
export function keyRoleOf(record: DomainRecord, all: readonly DomainRecord[]): KeyRole | undefined {
  if (record.purpose !== 'dkim') return undefined;
  if (record.action !== 'set') return 'old';
  if (record.signs) return 'signing';
  const peers = all.filter(({ purpose, action, algorithm }) => purpose === 'dkim' && action === 'set' && algorithm === record.algorithm);
  if (peers.some(({ signs }) => signs)) return 'new';
  // The one that is required comes first; without one, the newest comes last.
  const leading = peers.find(({ required }) => required) ?? peers.at(-1);
  return record === leading ? 'first' : 'earlier';
}

/** Keys that have a record to set, and sign from when it is found on, beside those that sign already. */
export function awaitedKeys(all: readonly DomainRecord[]): readonly DomainRecord[] {
  if (!all.some(({ signs }) => signs)) return [];
  return all.filter((record) => {
    const role = keyRoleOf(record, all);
    return record.state !== 'found' && (role === 'new' || role === 'first');
  });
}

/** What a record is called, by what the API calls its purpose, which has more in later versions. */
const LABELS: Readonly<Record<string, string>> = {
  ownership: 'Ownership',
  spf: 'SPF',
  dmarc: 'DMARC',
  return_path: 'Return path',
  tracking: 'Tracking host',
};

const WHY: Readonly<Record<string, string>> = {
  ownership: 'Shows that the domain is yours',
  spf: 'Which servers may send for the domain',
  dmarc: 'What receivers do with email that only claims to be from you',
  return_path: 'Bounces come back to a name of your domain, so receivers check SPF for it',
  tracking: 'Counted links, the open pixel and the unsubscribe link lead to a host of your domain',
};

const KEY_LABELS: Readonly<Record<KeyRole, string>> = {
  signing: 'DKIM key',
  first: 'DKIM key',
  new: 'New DKIM key',
  earlier: 'Earlier DKIM key',
  old: 'Old DKIM key',
};

const KEY_WHY = 'The key by which receivers check that an email is from you and unchanged';

/** What a record is called, unlike any other of its domain. One of a later version is called as the API calls it. */
export function labelOf(record: DomainRecord, all: readonly DomainRecord[]): string {
  const label = kindOf(record, all);
  const isOnly = all.every((other) => other === record || kindOf(other, all) !== label);
  return isOnly ? label : `${label} ${selectorOf(record)}`;
}

/** Records by what they are called, like `Ownership and DKIM key`. */
export function labelsOf(records: readonly DomainRecord[], all: readonly DomainRecord[]): string {
  const labels = [...new Set(records.map((record) => labelOf(record, all)))];
  return labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
}

function kindOf(record: DomainRecord, all: readonly DomainRecord[]): string {
  const role = keyRoleOf(record, all);
  if (!role) return LABELS[record.purpose] ?? capitalized(record.purpose).replaceAll('_', ' ');
  return record.algorithm === 'ed25519' ? `${KEY_LABELS[role]} (Ed25519)` : KEY_LABELS[role];
}

function selectorOf({ name }: Pick<DomainRecord, 'name'>): string {
  return name.split('.', 1)[0]!;
}

/** What a record is good for, and what becomes of it. */
export function whyOf(record: DomainRecord, all: readonly DomainRecord[]): string {
  const role = keyRoleOf(record, all);
  const isSecond = record.algorithm === 'ed25519';
  if (!role) return WHY[record.purpose] ?? '';
  if (role === 'new') return 'Takes over as soon as its record is found. The other key signs until then';
  if (role === 'earlier') return 'It signs again once its record is back. Do not put it back if others may have its private key';
  if (role === 'first') return isSecond ? 'Adds a second signature to your email as soon as its record is found' : KEY_WHY;
  if (role === 'signing') return isSecond ? 'The key of the second signature' : KEY_WHY;
  if (record.action === 'remove') return 'Its private key is deleted, and no email needs this record any more';
  return 'Signs no more, but email that is still under way is checked by it';
}

/** What is to be seen at once about a record: whether it has to be there, and what its key does. `dayWords`: how a day is told. */
export function badgesOf(
  { purpose, action, required, signs, keep_until }: DomainRecord,
  dayWords: (day: Date) => string,
): readonly string[] {
  if (action === 'keep') return [keep_until ? `Keep until ${dayWords(new Date(keep_until))}` : 'Keep'];
  if (action === 'remove') return [];
  const need = required
    ? ['Required']
    : purpose === 'spf' || purpose === 'dmarc'
      ? ['Recommended']
      : purpose === 'dkim'
        ? []
        : ['Optional'];
  return [...need, ...(signs ? ['Signs now'] : [])];
}

interface StateWords {
  readonly value: string;
  readonly tone: 'good' | 'busy' | 'idle' | 'warning' | 'bad';
}

/** How a record stands in DNS. What only helps is no failure where it is missing, and what nobody has to set is not even a warning. */
export function stateWords(record: DomainRecord, all: readonly DomainRecord[]): StateWords {
  const { state, required, purpose, action } = record;
  if (action === 'remove') return { value: 'can be removed', tone: 'idle' };
  if (state === 'found') return { value: 'found', tone: 'good' };
  if (awaitedKeys(all).includes(record) && state !== 'wrong') return { value: 'waits for its record', tone: 'busy' };
  if (state === 'unchecked') return { value: 'not checked yet', tone: 'idle' };
  if (state === 'missing' && isOptional(purpose)) return { value: 'not set', tone: 'idle' };
  // Taken away on purpose, maybe.
  if (state === 'missing' && keyRoleOf(record, all) === 'earlier') return { value: state, tone: 'idle' };
  return { value: state, tone: required ? 'bad' : 'warning' };
}

/** What is wrong with a record that somebody should mend; undefined where nothing is, or its state tells it all. */
export function problemOf(record: DomainRecord, all: readonly DomainRecord[]): string | undefined {
  const { tone } = stateWords(record, all);
  return tone === 'warning' || tone === 'bad' ? (record.problem ?? undefined) : undefined;
}

/** Nobody has to set these. */
export function isOptional(purpose: string): boolean {
  return purpose === 'return_path' || purpose === 'tracking';
}

/** Of what stands at the name of a record, that which tells something beside its state. */
export function otherTexts({ state, value, found }: Pick<DomainRecord, 'state' | 'value' | 'found'>): readonly string[] {
  const [kind = ''] = value.split(/[ ;]/);
  return found.filter((text) => text !== value && (state !== 'found' || text.startsWith(kind)));
}
