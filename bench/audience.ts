import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { callApi } from './support/api-call.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { LETTER } from './support/letter.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report } from './support/report.ts';

/**
 * How long POST /campaigns takes over many contacts, of whom some may get no mail, at once and at a time of their own clocks in 40 zones, a cancellation,
 * and a scheduled campaign until its audience is resolved; then how quickly those who were left out are read. Nothing is sent:
 * node bench/audience.ts [--contacts 1000000] [--unsubscribed 0.1]
 */
const { values } = parseArgs({
  options: { contacts: { type: 'string', default: '1000000' }, unsubscribed: { type: 'string', default: '0.1' } },
});
const CONTACTS = Number(values.contacts);
const GOAL = 'resolved in under 15 s, POST answered in under 2 s, memory that does not grow with the audience';
const TAG = 'half';
const ZONES = Intl.supportedValuesOf('timeZone')
  .filter((_, index) => index % 10 === 0)
  .slice(0, 40);

const stack = await startBenchStack({ template: LETTER, workflows: true, progress });
const database = new Client({ connectionString: stack.databaseUrl });
await database.connect();
try {
  progress(`writing ${CONTACTS} contacts`);
  await addRecipients(stack.databaseUrl, stack.projectId, CONTACTS);
  await database.query('update contacts set tags = array[$1] where right(email, 12) < $2', [TAG, '5@to.example']);
  await database.query(`insert into suppressions (project_id, email, reason)
    select project_id, email, 'manual' from contacts where email like 'person-1__@to.example'`);
  await database.query(
    `update contacts set status = 'unsubscribed' where hashtext(id::text)::bigint + 2147483648 < 4294967296 * $1::float8`,
    [Number(values.unsubscribed)],
  );
  await database.query('update contacts set timezone = ($1::text[])[1 + abs(hashtext(email)) % $2]', [ZONES, ZONES.length]);
  await database.query('vacuum analyze contacts');
  const { segment } = await callApi(stack, 'POST', '/segments', {
    label: 'bench',
    filter: { status: ['subscribed', 'pending'], source: 'import' },
  });
  const runs = [];
  for (const audience of [{ mode: 'entire' }, { mode: 'segment', segmentId: segment.id }, { mode: 'tag', tag: TAG }]) {
    progress(`audience: ${audience.mode}`);
    const [plain, local] = [await atOnce(audience), await atOnce(audience, { schedule: begunToday() })];
    runs.push({ mode: audience.mode, atOnce: plain, inLocalTime: { zones: ZONES.length, ...local }, scheduled: await scheduled(audience) });
  }
  const leftOut = await readLeftOut();
  report('audience', {
    goal: GOAL,
    contacts: CONTACTS,
    unsubscribed: Number(values.unsubscribed),
    runs,
    leftOut,
    peakMemoryMb: await stack.peakMemory(),
  });
} finally {
  await database.end();
  await stack.stop();
}

/** A time that has come where the day begins first, so that who gets it is found out by the call. */
function begunToday(): object {
  return { date: new Date().toISOString().slice(0, 10), at: '12:00', timezone: 'contact', fallback: 'Etc/UTC' };
}

/** Cancelled at once, so that what is measured next has the machine. */
async function atOnce(audience: object, times: object = {}): Promise<object> {
  const startedAt = performance.now();
  const { campaignId, audienceSize, enrolled } = await callApi(stack, 'POST', '/campaigns', {
    template: LETTER,
    audience,
    ratePerSecond: 1_000,
    ...times,
  });
  const answeredInSeconds = seconds(startedAt);
  const cancelledAt = performance.now();
  await callApi(stack, 'POST', `/campaigns/${campaignId}/cancel`);
  return { audienceSize, enrolled, answeredInSeconds, cancelledInSeconds: seconds(cancelledAt) };
}

/** Of the newest campaign: its counts, pages of those whom it left out, and the timeline of one of them, each the median of ten. */
async function readLeftOut(): Promise<object> {
  const { campaigns } = await callApi(stack, 'GET', '/campaigns?limit=1');
  const path = `/campaigns/${campaigns[0].id}`;
  const first = await callApi(stack, 'GET', `${path}/people?outcome=left_out&limit=100`);
  const [person] = first.people;
  return {
    ...(await callApi(stack, 'GET', path)).campaign.left_out,
    countsMs: await median(path),
    pageMs: await median(`${path}/people?outcome=left_out&limit=100&cursor=${first.nextCursor}`),
    timelineMs: await median(`/contacts/${person.contact_id}/timeline`),
  };
}

async function median(path: string): Promise<number> {
  const took: number[] = [];
  for (let call = 0; call < 10; call++) {
    const startedAt = performance.now();
    await callApi(stack, 'GET', path);
    took.push(performance.now() - startedAt);
  }
  return Math.round(took.toSorted((a, b) => a - b)[5] as number);
}

async function scheduled(audience: object): Promise<object> {
  const startedAt = performance.now();
  const scheduleAt = new Date(Date.now() + 3_000);
  const { campaignId } = await callApi(stack, 'POST', '/campaigns', { template: LETTER, audience, ratePerSecond: 1_000, scheduleAt });
  const answeredInSeconds = seconds(startedAt);
  for (;;) {
    const { campaign } = await callApi(stack, 'GET', `/campaigns/${campaignId}`);
    if (campaign.status === 'failed') throw new Error(`the campaign failed: ${campaign.reason}`);
    if (campaign.status !== 'scheduled') break;
    await sleep(50);
  }
  const resolvedInSeconds = Number(((Date.now() - scheduleAt.getTime()) / 1000).toFixed(2));
  await callApi(stack, 'POST', `/campaigns/${campaignId}/cancel`);
  return { answeredInSeconds, resolvedInSeconds };
}

function seconds(since: number): number {
  return Number(((performance.now() - since) / 1000).toFixed(2));
}
