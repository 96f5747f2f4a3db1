import { upwardsFrom } from '../contacts/domain-name.ts';
import type { Judgement } from './finding.ts';
import { actionFor, type DkimAlgorithm, type DomainKey, neededKey, RECORD_ACTIONS, type RecordAction } from './key-turns.ts';

/** What a DNS record of a sending domain is for. The first two verify the domain; the others help its mail to arrive. */
export const RECORD_PURPOSES = ['ownership', 'dkim', 'spf', 'dmarc', 'return_path', 'tracking'] as const;
export type RecordPurpose = (typeof RECORD_PURPOSES)[number];
/** Of a CNAME. */
export type AliasPurpose = Extract<RecordPurpose, 'return_path' | 'tracking'>;

/** A record of a domain, and what its owner is to do with it. */
export interface WantedRecord {
  readonly purpose: RecordPurpose;
  /** What its finding stands under: of keys there are several. */
  readonly key: string;
  readonly type: 'TXT' | 'CNAME';
  /** The whole name, in ASCII, without the final dot. */
  readonly name: string;
  readonly value: string;
  /** Whether the domain is verified by it, together with the others that are. */
  readonly required: boolean;
  /** Names whose record counts where this one has none, the first that has one. */
  readonly inheritedFrom: readonly string[];
  readonly action: RecordAction;
  /** Of one that is to be kept. */
  readonly keepUntil?: Date;
  /** Of the record of a key. */
  readonly dkim?: { readonly algorithm: DkimAlgorithm; readonly signs: boolean };
}

/** What is known of a domain before DNS is asked. */
export interface DomainProof {
  /** In ASCII. */
  readonly domain: string;
  /** What only the project that added the domain was told to publish. */
  readonly token: string;
  /** The oldest first. */
  readonly keys: readonly DomainKey[];
  /** The name whose SPF record lists the servers that send; undefined: nobody said, so there is no such record to set. */
  readonly spfInclude: string | undefined;
  /** The host that links in mail may lead to by a name of the domain; undefined: they lead to that of the installation. */
  readonly trackingHost: string | undefined;
  /** The host that mail comes back to by a name of the domain; undefined: the sender of mail is on its envelope, too. */
  readonly returnPathHost: string | undefined;
}

const OWNERSHIP = 'everpost-verification=';

/** In the order in which they are shown. */
export function wantedRecords({ domain, token, keys, spfInclude, trackingHost, returnPathHost }: DomainProof): WantedRecord[] {
  const needed = neededKey(keys);
  const ofKeys = keys.map((key) => ({
    ...textRecord('dkim', `${key.selector}._domainkey.${domain}`, key.record),
    ...{ key: findingKeyOf(key), required: key === needed, ...actionFor(key), dkim: { algorithm: key.algorithm, signs: key.signs } },
  }));
  return [
    { ...textRecord('ownership', `_everpost.${domain}`, `${OWNERSHIP}${token}`), required: true },
    ...ofKeys.toSorted((a, b) => placeOf(a) - placeOf(b)),
    ...(spfInclude === undefined ? [] : [textRecord('spf', domain, `v=spf1 include:${spfInclude} ~all`)]),
    {
      ...textRecord('dmarc', `_dmarc.${domain}`, 'v=DMARC1; p=none;'),
      // Receivers look for a policy in each of them.
      inheritedFrom: upwardsFrom(domain)
        .slice(1)
        .map((parent) => `_dmarc.${parent}`),
    },
    ...(returnPathHost === undefined ? [] : [aliasRecord('return_path', returnPathHostOf(domain), returnPathHost)]),
    ...(trackingHost === undefined ? [] : [aliasRecord('tracking', trackingHostOf(domain), trackingHost)]),
  ];
}

/** The host by which links in mail of a domain lead to Everpost. */
export function trackingHostOf(domain: string): string {
  return `track.${domain}`;
}

/** The host on the envelope of mail from a domain, whose SPF is that of the host that it leads to, and which DMARC takes for the domain's own. */
export function returnPathHostOf(domain: string): string {
  return `bounces.${domain}`;
}

function aliasRecord(purpose: AliasPurpose, name: string, value: string): WantedRecord {
  return { ...textRecord(purpose, name, value), type: 'CNAME' };
}

function textRecord(purpose: RecordPurpose, name: string, value: string): WantedRecord {
  return { purpose, key: purpose, type: 'TXT', name, value, required: false, inheritedFrom: [], action: 'set' };
}

/** What the finding of a key's record stands under. */
export function findingKeyOf({ selector }: Pick<DomainKey, 'selector'>): string {
  return `dkim:${selector}`;
}

/** The one that is needed first, then others to set, then those that have had their turn. */
function placeOf({ required, action }: WantedRecord): number {
  return required ? 0 : RECORD_ACTIONS.indexOf(action) + 1;
}

const FOUND: Judgement = { state: 'found' };
const missing = (problem: string): Judgement => ({ state: 'missing', problem });
const wrong = (problem: string): Judgement => ({ state: 'wrong', problem });

/** Judges what DNS has at the name of a record, texts each whole; nothing when the name has none or does not exist. */
export function judgeRecord(record: WantedRecord, values: readonly string[]): Judgement {
  const { action, keepUntil } = record;
  const { state, problem } = judgeValues(record, values);
  if (state === 'found' || action === 'set') return { state, ...(problem !== undefined && { problem }) };
  // Of one that can be taken away it is as it should be.
  if (action === 'remove' || !keepUntil) return { state };
  const until = keepUntil.toISOString().slice(0, 10);
  return {
    state,
    problem: `${problem}; mail that this key has signed may be under way until ${until}: put it back, unless others may have the key`,
  };
}

/** Many who set a record type the quotes that its value has in a zone file. */
function judgeValues(record: WantedRecord, values: readonly string[]): Judgement {
  const judge = JUDGES[record.purpose];
  const judged = judge(record, values);
  const isFoundWithout = judged.state !== 'found' && judge(record, values.map(withoutQuotes)).state === 'found';
  return isFoundWithout ? wrong('quotes stand in the value itself; set it without them') : judged;
}

function withoutQuotes(text: string): string {
  return text.trim().replace(/^"(.*)"$/s, '$1');
}

const JUDGES: Readonly<Record<RecordPurpose, (record: WantedRecord, texts: readonly string[]) => Judgement>> = {
  ownership({ value }, texts) {
    if (texts.some((text) => text.trim() === value)) return FOUND;
    return texts.some((text) => text.trim().startsWith(OWNERSHIP))
      ? wrong('the value is of another project or of an earlier try; set the one that is shown here')
      : missing('there is no such record yet');
  },

  /** RFC 6376 3.6.1: one key at a name; white space in `p` means nothing, an empty one revokes the key. */
  dkim({ value }, texts) {
    const keys = texts.map(tagsOf).filter((tags) => tags.has('p'));
    const [key] = keys;
    if (!key) return texts.length > 0 ? wrong('what stands there is no DKIM key') : missing('there is no such record yet');
    if (keys.length > 1) return wrong('there are several DKIM keys at this name; leave the one that is shown here');
    const published = key.get('p')?.replace(/\s/g, '');
    if (published === '') return wrong('the key that stands there is revoked (`p=` is empty)');
    const ours = tagsOf(value);
    if (published !== ours.get('p')) return wrong('another key stands there; check that the whole value was pasted');
    if ((key.get('k') ?? 'rsa') !== ours.get('k')) return wrong(`\`k=\` should be ${ours.get('k')}`);
    return FOUND;
  },

  /** RFC 7208 4.5: two SPF records are as good as none. */
  spf({ value }, texts) {
    const policies = texts.filter((text) => /^v=spf1(?: |$)/i.test(text.trim()));
    if (policies.length > 1) return wrong('there are several SPF records, of which receivers heed none; join them into one');
    const [policy] = policies;
    if (policy === undefined) return missing('there is no SPF record yet');
    const include = value.split(' ').find((term) => term.startsWith('include:')) ?? '';
    return policy
      .toLowerCase()
      .split(/\s+/)
      .some((term) => term === include || term === `+${include}`)
      ? FOUND
      : wrong(`the SPF record lacks \`${include}\`; add it before \`all\``);
  },

  return_path: judgeAlias,
  tracking: judgeAlias,

  /** RFC 7489 6.3: any policy will do, since it is the owner's to choose. */
  dmarc(_, texts) {
    const policies = texts.filter((text) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text.trim()));
    if (policies.length > 1) return wrong('there are several DMARC records, of which receivers heed none; leave one');
    const [policy] = policies;
    if (policy === undefined) {
      return texts.some((text) => /\bDMARC1\b/i.test(text))
        ? wrong('it should begin with `v=DMARC1;`')
        : missing('there is no DMARC record yet');
    }
    return /^(none|quarantine|reject)$/i.test(tagsOf(policy).get('p') ?? '') ? FOUND : wrong('`p=` should be none, quarantine or reject');
  },
};

/** What a name leads to by the address of its host, or through a proxy, is not seen. */
function judgeAlias({ value }: WantedRecord, targets: readonly string[]): Judgement {
  const [target] = targets;
  if (target === undefined) return missing('there is no CNAME yet; one that a proxy hides counts as none');
  return targets.includes(value) ? FOUND : wrong(`it leads to ${target}; it should lead to ${value}`);
}

/** Of a list like `v=DKIM1; k=rsa; p=…` (RFC 6376 3.2). Of a tag that is there twice the first counts. */
function tagsOf(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    if (name && !tags.has(name)) tags.set(name, part.slice(at + 1).trim());
  }
  return tags;
}
