import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { callApi } from './support/api-call.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { LETTER } from './support/letter.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report } from './support/report.ts';

/**
 * How long POST /campaigns takes over many contacts, and a scheduled campaign until its audience is resolved; nothing is sent:
 * node bench/audience.ts [--contacts 1000000]
 */
const { values } = parseArgs({ options: { contacts: { type: 'string', default: '1000000' } } });
const CONTACTS = Number(values.contacts);
const GOAL = 'resolved in under 15 s, POST answered in under 2 s, memory that does not grow with the audience';
const TAG = 'half';

const stack = await startBenchStack({ template: LETTER, workflows: true, progress });
const database = new Client({ connectionString: stack.databaseUrl });
await database.connect();
try {
  progress(`writing ${CONTACTS} contacts`);
  await addRecipients(stack.databaseUrl, stack.projectId, CONTACTS);
  await database.query('update contacts set tags = array[$1] where right(email, 12) < $2', [TAG, '5@to.example']);
  await database.query(`insert into suppressions (project_id, email, reason)
    select project_id, email, 'manual' from contacts where email like 'person-1__@to.example'`);
  await database.query('vacuum analyze contacts');
  const { segment } = await callApi(stack, 'POST', '/segments', {
    label: 'bench',
    filter: { status: ['subscribed', 'pending'], source: 'import' },
  });
  const runs = [];
  for (const audience of [{ mode: 'entire' }, { mode: 'segment', segmentId: segment.id }, { mode: 'tag', tag: TAG }]) {
    progress(`audience: ${audience.mode}`);
    runs.push({ mode: audience.mode, atOnce: await atOnce(audience), scheduled: await scheduled(audience) });
  }
  report('audience', { goal: GOAL, contacts: CONTACTS, runs, peakMemoryMb: await stack.peakMemory() });
} finally {
  await database.end();
  await stack.stop();
}

/** Cancelled at once, so that what is measured next has the machine. */
async function atOnce(audience: object): Promise<object> {
  const startedAt = performance.now();
  const { campaignId, audienceSize, enrolled } = await callApi(stack, 'POST', '/campaigns', {
    template: LETTER,
    audience,
    ratePerSecond: 1_000,
  });
  const answeredInSeconds = seconds(startedAt);
  await callApi(stack, 'POST', `/campaigns/${campaignId}/cancel`);
  return { audienceSize, enrolled, answeredInSeconds };
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
