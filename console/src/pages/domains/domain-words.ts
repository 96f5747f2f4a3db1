import type { Schemas } from '../../api/client.ts';
import { capitalized } from '../../letters.ts';

type DomainRecord = Schemas['DomainRecord'];

interface PurposeWords {
  readonly label: string;
  readonly why: string;
}

/** By what the API calls them, which has more in later versions. */
const PURPOSES: Readonly<Record<string, PurposeWords>> = {
  ownership: { label: 'Ownership', why: 'Shows that the domain is yours' },
  dkim: { label: 'DKIM', why: 'The key by which receivers check that an email is from you and unchanged' },
  spf: { label: 'SPF', why: 'Which servers may send for the domain' },
  dmarc: { label: 'DMARC', why: 'What receivers do with email that only claims to be from you' },
};

/** What a record is for; one of a later version is called as the API calls it. */
export function purposeWords({ purpose }: Pick<DomainRecord, 'purpose'>): PurposeWords {
  return PURPOSES[purpose] ?? { label: capitalized(purpose).replaceAll('_', ' '), why: '' };
}

interface StateWords {
  readonly value: string;
  readonly tone: 'good' | 'idle' | 'warning' | 'bad';
}

/** How a record stands in DNS. What only helps is no failure where it is missing. */
export function stateWords({ state, required }: Pick<DomainRecord, 'state' | 'required'>): StateWords {
  if (state === 'found') return { value: 'found', tone: 'good' };
  if (state === 'unchecked') return { value: 'not checked yet', tone: 'idle' };
  return { value: state, tone: required ? 'bad' : 'warning' };
}

/** Of what stands at the name of a record, that which tells something beside its state. */
export function otherTexts({ state, value, found }: Pick<DomainRecord, 'state' | 'value' | 'found'>): readonly string[] {
  const [kind = ''] = value.split(/[ ;]/);
  return found.filter((text) => text !== value && (state !== 'found' || text.startsWith(kind)));
}

/** For a notice. */
export interface CheckWords {
  readonly title: string;
  readonly text: string;
  readonly isGood: boolean;
}

/** What a look at DNS that somebody asked for came to. */
export function checkWords({ verified, records }: Pick<Schemas['SendingDomainWithRecords'], 'verified' | 'records'>): CheckWords {
  const silent = records.filter(({ unavailable }) => unavailable !== null);
  if (silent.length > 0) {
    return {
      title: `DNS did not answer for ${labelsOf(silent)}`,
      text: `${capitalized(silent[0]?.unavailable ?? '')}. What was known before stays as it was. Try again in a moment.`,
      isGood: false,
    };
  }
  const lacking = records.filter(({ state }) => state !== 'found');
  const required = lacking.filter((record) => record.required);
  if (required.length > 0) {
    return {
      title: `Not found as it should be: ${labelsOf(required)}`,
      text: 'A record that was set or changed just now can take minutes to be seen, sometimes hours. Everpost looks again by itself.',
      isGood: false,
    };
  }
  const rest = lacking.length > 0 ? ` ${labelsOf(lacking)} would help your email to arrive.` : '';
  return {
    title: 'All required records are there',
    text: `${verified ? 'Email can be sent from this domain.' : ''}${rest}`.trim(),
    isGood: true,
  };
}

/** Records by what they are for, like `Ownership and DKIM`. */
export function labelsOf(records: readonly Pick<DomainRecord, 'purpose'>[]): string {
  const labels = [...new Set(records.map((record) => purposeWords(record).label))];
  return labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
}
