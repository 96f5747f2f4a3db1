import type { DkimKeyRow, SendingDomainRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { dkimKeysOf, turnKeys } from '../../db/queries/domains/dkim-keys.ts';
import { findDomainById, writeCheck } from '../../db/queries/domains/sending-domains.ts';
import { domainCheckSignal, enqueue } from '../../db/queries/operations/outbox.ts';
import { emitAll, type OutgoingEvent } from '../../db/queries/webhooks/emit.ts';
import { type Finding, type Findings, purposeOf, type RecordState } from '../../domain/domains/finding.ts';
import { turnsAfter } from '../../domain/domains/key-turns.ts';
import { type DomainProof, findingKeyOf, judgeRecord, type WantedRecord, wantedRecords } from '../../domain/domains/records.ts';
import { type Standing, standingAfter } from '../../domain/domains/standing.ts';
import { MOST_ALIASES } from '../../platform/dns/read-answer.ts';

type ReadAnswer = { readonly values: readonly string[] } | { readonly unavailable: string };

/** What DNS has of a type at a name, nothing when there is no such name, or why it could not be asked. */
export type ReadRecords = (name: string, type: WantedRecord['type']) => Promise<ReadAnswer>;

/** What the records of a domain depend on beside it. */
export type Naming = Pick<DomainProof, 'spfInclude' | 'trackingHost' | 'returnPathHost'>;

export interface Checking extends Naming {
  readonly em: EntityManager;
  readonly readRecords: ReadRecords;
  readonly now: () => Date;
}

/** So much of what stands at a name is shown. */
const MOST_VALUES = 20;
const MOST_LENGTH = 1_000;

/** The records of a domain; none before it has a key. `keys`: the oldest first. */
export function recordsOf(
  { domain, token }: SendingDomainRow,
  keys: readonly DkimKeyRow[],
  { spfInclude, trackingHost, returnPathHost }: Naming,
): WantedRecord[] {
  return keys.length > 0 ? wantedRecords({ domain, token, keys, spfInclude, trackingHost, returnPathHost }) : [];
}

/**
 * Looks up all records of a domain and writes what becomes of it, and which keys sign from now on. Answers with the domain as it is then; undefined when
 * it is gone. `asked`: by a person, after whom its workflow counts the time to its next look anew, since that depends on how the domain stands.
 */
export async function checkDomain(
  { em, readRecords, now, ...naming }: Checking,
  domain: SendingDomainRow,
  asked?: 'now' | 'again',
): Promise<SendingDomainRow | undefined> {
  const wanted = recordsOf(domain, await dkimKeysOf(em, domain.id), naming);
  const answers = await Promise.all(wanted.map(async (record) => [record, await look(record)] as const));
  const findings: Findings = Object.fromEntries(answers.map(([{ key }, finding]) => [key, finding]));
  const before = { standing: domain.standing, failingSince: domain.failing_since ?? undefined };
  const after = standingAfter(before, requiredOf(answers), now());
  const written = await em.transactional(async (tx) => {
    const checked = await writeCheck(tx, domain, { ...after, findings, now: now() });
    if (!checked) return undefined;
    // As they are now: a key may have been made while DNS was asked.
    const keys = await dkimKeysOf(tx, domain.id);
    await turnKeys(
      tx,
      turnsAfter(keys, (key) => findings[findingKeyOf(key)], { ed25519: checked.ed25519, now: now() }),
    );
    await emitAll(tx, domain.project_id, eventsOf(before.standing, checked));
    if (asked) await enqueue(tx, domain.project_id, [domainCheckSignal(domain.id)]);
    return checked;
  });
  if (written) return written;
  // Another check was written meanwhile. It may have asked DNS before somebody changed it, so who asks is given a second look; a check that is
  // written during that one has begun after the first, and is as good.
  const meanwhile = await findDomainById(em, domain.id);
  return asked === 'now' && meanwhile ? checkDomain({ em, readRecords, now, ...naming }, meanwhile, 'again') : meanwhile;

  async function look(record: WantedRecord): Promise<Finding> {
    let first: Finding | undefined;
    for (const name of [record.name, ...record.inheritedFrom]) {
      const answer = await (record.type === 'CNAME' ? aliasesOf(name, record.value) : readRecords(name, record.type));
      if ('unavailable' in answer) return { ...(domain.findings[record.key] ?? { found: [] }), unavailable: answer.unavailable };
      const judged = judgeRecord(record, answer.values);
      const found = answer.values.slice(0, MOST_VALUES).map((text) => text.slice(0, MOST_LENGTH));
      const finding = { ...judged, found, checkedAt: now().toISOString() };
      if (judged.state !== 'missing') return finding;
      first ??= finding;
    }
    return first ?? { found: [] };
  }

  /** The hosts that a name leads to, one by way of the other, as far as the wanted one. */
  async function aliasesOf(name: string, wanted: string): Promise<ReadAnswer> {
    const hosts: string[] = [];
    for (let at = name; hosts.length < MOST_ALIASES; ) {
      const answer = await readRecords(at, 'CNAME');
      if ('unavailable' in answer) return answer;
      const [host] = answer.values;
      if (host === undefined || hosts.includes(host)) break;
      hosts.push(host);
      if (host === wanted) break;
      at = host;
    }
    return { values: hosts };
  }
}

/** What DNS has of each thing that verifies a domain, undefined where it gave no answer. By DKIM any key does that mail can be signed by. */
function requiredOf(answers: readonly (readonly [WantedRecord, Finding])[]): (RecordState | undefined)[] {
  const statesOf = (isMeant: (record: WantedRecord) => boolean): (RecordState | undefined)[] =>
    answers.flatMap(([record, { state, unavailable }]) => (isMeant(record) ? [unavailable === undefined ? state : undefined] : []));
  const keys = statesOf(({ dkim, action }) => dkim?.algorithm === 'rsa' && action !== 'remove');
  const others = statesOf(({ dkim, required }) => required && !dkim);
  if (keys.length === 0) return others;
  return [...others, keys.includes('found') ? 'found' : keys.includes(undefined) ? undefined : 'missing'];
}

/** That the domain came to stand, or that it fails; once more when that has lasted too long. docs/contract/webhooks.md 7, 31. */
function eventsOf(before: Standing, { id, domain, standing, verified, failing_since, findings }: SendingDomainRow): OutgoingEvent[] {
  if (before === standing) return [];
  const type = standing === 'verified' ? 'domain.verified' : 'domain.failing';
  const problems = Object.entries(findings).flatMap(([key, { problem }]) =>
    problem === undefined ? [] : [{ purpose: purposeOf(key), problem }],
  );
  return [{ type, data: { domain_id: id, domain, standing, verified, failing_since, problems } }];
}
