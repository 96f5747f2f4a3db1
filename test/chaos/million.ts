import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { addRecipients } from '../../bench/support/recipients.ts';
import { type BenchSink, startSink } from '../../bench/support/sink.ts';
import { createDriver, type Driver, reading } from './driver.ts';
import type { Member } from './members.ts';
import type { CampaignSeen } from './observed.ts';
import type { Random } from './random.ts';
import { startChaosStack } from './stack.ts';
import { TEMPLATES } from './world.ts';

export interface MillionOptions {
  readonly recipients: number;
  readonly kills: number;
  /** For the data and the logs. */
  readonly folder: string;
  /** Numbers of its own for each use. */
  readonly randomOf: (use: number) => Random;
  readonly progress: (line: string) => void;
}

/** A kill -9, and how many mails had arrived by then. */
interface Kill {
  readonly member: string;
  readonly arrived: number;
}

/** What became of a campaign, by its record, by its rows and by what arrived. */
export interface MillionReport {
  readonly recipients: number;
  readonly seconds: number;
  readonly kills: readonly Kill[];
  readonly campaign: Pick<CampaignSeen, 'status' | (typeof COUNTS)[number]>;
  readonly sink: { readonly accepted: number; readonly twice: number };
  readonly rows: {
    readonly sent: number;
    /** By reason. */
    readonly failed: Readonly<Record<string, number>>;
    /** Recipients with more than one. */
    readonly twice: number;
  };
  readonly outcomeUnknown: { readonly rows: number; readonly arrived: number; readonly neverLeft: number };
  readonly skipped: { readonly suppressedMeanwhile: number; readonly recipients: number };
  /** What is not as promised; empty when all is. */
  readonly broken: readonly string[];
}

const COUNTS = ['total_recipients', 'sent_count', 'failed_count', 'skipped_count', 'cancelled_count'] as const;
const ENDS: readonly string[] = ['sent', 'cancelled', 'failed'];
const LOOK_EVERY_MS = 200;
/** Longer than any pause of an outage, and than a mail of unknown outcome waits for its outcome. */
const PATIENCE_MS = 15 * 60_000;
/** Kills are over before the last mails, so that they meet a campaign that is being sent. */
const LAST_KILL_AT = 0.95;
/** Suppressed while the campaign goes out, so that some are skipped. */
const SUPPRESSED = { share: 1 / 2_000, least: 20, most: 200 };
const ROWS_AT_ONCE = 50_000;

/** One campaign to all, with kills in the middle of it. Answers with what became of everybody. */
export async function runMillion({ recipients, kills, folder, randomOf, progress }: MillionOptions): Promise<MillionReport> {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    progress('building and starting the sink');
    const sink = await startSink(folder);
    ends.push(() => sink.process.stop());
    const stack = await startChaosStack({
      ...{ folder, providers: [{ name: 'smtp', providerUrl: sink.smtpUrl }], progress },
      settings: { LOG_LEVEL: 'info' },
    });
    ends.push(() => stack.stop());
    const { apiUrls, key: apiKey, databaseUrl } = stack.installations[0]!;
    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const { rows: projects } = await database.query<{ id: string }>('select id from projects');
    await database.end();
    progress(`writing ${recipients} contacts`);
    await addRecipients(databaseUrl, projects[0]!.id, recipients);
    const driver = createDriver({ apiUrls, apiKey, random: randomOf(1), insistUntil: () => Number.POSITIVE_INFINITY });

    const startedAt = Date.now();
    const campaignId = await startCampaign(driver);
    progress(`the campaign ${campaignId} has begun`);
    const suppressed = suppressSome(driver, randomOf(2), recipients);
    const killed = await killInTheMiddle({ members: stack.members, random: randomOf(3), sink, recipients, kills, progress });
    const campaign = await campaignEnds(driver, campaignId, sink, progress);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    progress('it has ended; comparing what arrived with the rows');
    const seen = await compare(databaseUrl, campaignId, await sink.addresses());
    return judged({ recipients, seconds, kills: killed, campaign, suppressed: await suppressed, ...seen });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

async function startCampaign({ insist }: Driver): Promise<string> {
  const asked = async (method: string, path: string, body: object) => {
    const { status, answer } = await insist({ ...reading(path), method, body, key: `key-${path.slice(1)}` });
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path} was answered ${status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  await asked('PUT', `/templates/${TEMPLATES.marketing}`, { enabled: true });
  const { segment } = await asked('POST', '/segments', { label: 'all that were imported', filter: { source: 'import' } });
  const audience = { mode: 'segment', segmentId: segment.id };
  return (await asked('POST', '/campaigns', { name: 'million', template: TEMPLATES.marketing, subject: 'News', audience })).campaignId;
}

/** Answers with whom. */
async function suppressSome({ insist }: Driver, random: Random, recipients: number): Promise<string[]> {
  const { share, least, most } = SUPPRESSED;
  const count = Math.min(most, Math.max(least, Math.floor(recipients * share)));
  const emails = Array.from({ length: count }, () => `person-${random.between(0, recipients - 1)}@to.example`);
  for (const email of emails) await insist({ kind: 'suppress', method: 'POST', path: '/suppressions', body: { email } });
  return emails;
}

/** Each sort of member as often as any other, at random places of the campaign. */
async function killInTheMiddle(given: {
  readonly members: readonly Member[];
  readonly random: Random;
  readonly sink: BenchSink;
  readonly recipients: number;
  readonly kills: number;
  readonly progress: (line: string) => void;
}): Promise<Kill[]> {
  const { members, random, sink, recipients, kills, progress } = given;
  const places = Array.from({ length: kills }, () => Math.floor(random.next() * LAST_KILL_AT * recipients)).toSorted((a, b) => a - b);
  const bySort = [...Map.groupBy(members, ({ name }) => name.split(' ')[0]).values()];
  let deck: (readonly Member[])[] = [];
  const killed: Kill[] = [];
  const under = new Map<Member, Promise<void>>();
  for (const place of places) {
    await arrivedAtLeast(sink, place);
    if (deck.length === 0) deck = [...bySort];
    const member = random.one(deck.splice(random.between(0, deck.length - 1), 1)[0]!);
    await under.get(member);
    const arrived = await sink.messages();
    progress(`${new Date().toISOString()} kill ${member.name} after ${arrived} mails`);
    killed.push({ member: member.name, arrived });
    under.set(member, member.kill());
  }
  await Promise.all(under.values());
  return killed;
}

async function arrivedAtLeast(sink: BenchSink, count: number): Promise<void> {
  let last = -1;
  for (let since = Date.now(); ; await sleep(LOOK_EVERY_MS)) {
    const now = await sink.messages();
    if (now >= count) return;
    if (now !== last) since = Date.now();
    if (Date.now() - since > PATIENCE_MS) throw new Error(`no mail has come for ${PATIENCE_MS / 60_000} minutes, after ${now}`);
    last = now;
  }
}

/** Answers with its record. */
async function campaignEnds({ insist }: Driver, id: string, sink: BenchSink, progress: MillionOptions['progress']): Promise<CampaignSeen> {
  let last = '';
  for (let since = Date.now(); ; await sleep(10 * LOOK_EVERY_MS)) {
    const { campaign } = (await insist(reading(`/campaigns/${id}`))).answer;
    if (ENDS.includes(campaign.status)) return campaign;
    const now = `${await sink.messages()} mails, ${JSON.stringify(COUNTS.map((name) => campaign[name]))}`;
    if (now !== last) since = Date.now();
    if (Date.now() - since > PATIENCE_MS)
      throw new Error(`nothing has changed for ${PATIENCE_MS / 60_000} minutes: ${campaign.status}, ${now}`);
    if (now !== last) progress(now);
    last = now;
  }
}

interface Seen {
  readonly accepted: number;
  /** Beyond one for an address. */
  readonly acceptedTwice: number;
  readonly sent: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly rowsTwice: number;
  readonly unknownArrived: number;
  readonly sentNotArrived: number;
  readonly failedArrived: number;
  readonly arrivedWithoutRow: number;
}

/** Goes through all rows of the campaign. */
async function compare(databaseUrl: string, campaignId: string, arrived: ReadonlyMap<string, number>): Promise<Seen> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const known = new Set<string>();
  const failed: Record<string, number> = {};
  let [sent, rowsTwice, unknownArrived, sentNotArrived, failedArrived] = [0, 0, 0, 0, 0];
  try {
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      const { rows } = await database.query<{ id: string; to_email: string; status: string | null; reason: string }>(
        `select id, to_email, status, split_part(coalesce(error, ''), ':', 1) as reason from sends
         where source_type = 'campaign' and source_id = $1 and id > $2 order by id limit ${ROWS_AT_ONCE}`,
        [campaignId, after],
      );
      for (const { to_email, status, reason } of rows) {
        if (known.has(to_email)) rowsTwice++;
        known.add(to_email);
        const hasArrived = arrived.has(to_email);
        if (status === 'sent') {
          sent++;
          if (!hasArrived) sentNotArrived++;
          continue;
        }
        const why = status === null ? 'without an outcome' : reason;
        failed[why] = (failed[why] ?? 0) + 1;
        if (hasArrived && why === 'outcome_unknown') unknownArrived++;
        else if (hasArrived) failedArrived++;
      }
      if (rows.length < ROWS_AT_ONCE) break;
      after = rows.at(-1)!.id;
    }
  } finally {
    await database.end();
  }
  const counts = [...arrived.values()];
  const accepted = counts.reduce((sum, count) => sum + count, 0);
  const arrivedWithoutRow = [...arrived.keys()].filter((address) => !known.has(address)).length;
  const acceptedTwice = accepted - counts.length;
  return { accepted, acceptedTwice, sent, failed, rowsTwice, unknownArrived, sentNotArrived, failedArrived, arrivedWithoutRow };
}

function judged(
  given: Seen & Pick<MillionReport, 'recipients' | 'seconds' | 'kills'> & { campaign: CampaignSeen; suppressed: readonly string[] },
): MillionReport {
  const { recipients, seconds, kills, campaign, suppressed, accepted, acceptedTwice, sent, failed, rowsTwice, unknownArrived } = given;
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  const outcomeUnknown = failed.outcome_unknown ?? 0;
  const { status, total_recipients, sent_count, failed_count, skipped_count, cancelled_count } = campaign;
  const counts = { total_recipients, sent_count, failed_count, skipped_count, cancelled_count };
  const sum = sent_count + failed_count + skipped_count + cancelled_count;
  const none = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
  const same = (left: number, right: number, what: string): string[] => (left === right ? [] : [`${what}: ${left} and ${right}`]);
  return {
    ...{ recipients, seconds, kills, campaign: { status, ...counts } },
    sink: { accepted, twice: acceptedTwice },
    rows: { sent, failed, twice: rowsTwice },
    outcomeUnknown: { rows: outcomeUnknown, arrived: unknownArrived, neverLeft: outcomeUnknown - unknownArrived },
    skipped: { suppressedMeanwhile: new Set(suppressed).size, recipients: skipped_count },
    broken: [
      ...(status === 'sent' ? [] : [`it is ${status}`]),
      ...none(acceptedTwice, 'mails arrived twice'),
      ...none(rowsTwice, 'recipients have two rows'),
      ...none(given.sentNotArrived, 'rows say sent, and their mails did not arrive'),
      ...none(given.failedArrived, 'mails arrived whose rows say that they failed'),
      ...none(given.arrivedWithoutRow, 'mails arrived that have no row'),
      ...same(total_recipients, recipients, 'recipients of the campaign, and those that it was for'),
      ...same(sum, total_recipients, 'sent, failed, skipped and cancelled, and all recipients'),
      ...same(sent_count, sent, 'sent by the record and by the rows'),
      ...same(failed_count, failures, 'failed by the record and by the rows'),
      ...same(accepted, sent + unknownArrived, 'accepted by the sink, and sent or of unknown outcome and arrived'),
    ],
  };
}

/** The same for people. */
export function inWords({ recipients, seconds, kills, campaign, sink, rows, outcomeUnknown, skipped, broken }: MillionReport): string {
  const number = new Intl.NumberFormat('en');
  const bySort = [...Map.groupBy(kills, ({ member }) => member.split(' ')[0])].map(([sort, same]) => `${sort} ${same.length}`).join(', ');
  const reasons = Object.entries(rows.failed).map(([reason, count]) => `${reason} ${number.format(count)}`);
  return [
    `A campaign to ${number.format(recipients)} recipients, ${kills.length} times kill -9 in the middle of it (${bySort || 'none'}), ended as ${campaign.status} after ${number.format(seconds)} s.`,
    `The mail server accepted ${number.format(sink.accepted)} mails, ${number.format(sink.twice)} of them twice.`,
    `Sent ${number.format(campaign.sent_count)} + failed ${number.format(campaign.failed_count)} + skipped ${number.format(campaign.skipped_count)} + cancelled ${number.format(campaign.cancelled_count)} of ${number.format(campaign.total_recipients)}.`,
    `Failed by reason: ${reasons.join(', ') || 'none'}. Of unknown outcome ${number.format(outcomeUnknown.rows)}: ${number.format(outcomeUnknown.arrived)} had arrived, ${number.format(outcomeUnknown.neverLeft)} never left.`,
    `Skipped ${number.format(skipped.recipients)}; ${number.format(skipped.suppressedMeanwhile)} addresses were suppressed while it went out.`,
    broken.length === 0 ? 'Everything is as promised.' : `Not as promised: ${broken.join('; ')}.`,
  ].join('\n');
}
