import { parseArgs } from 'node:util';
import { inParallel } from '../platform/in-parallel.ts';
import { callApi } from './support/api-call.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { campaignEnds, importedAudience, startCampaign } from './support/campaigns.ts';
import { startMeter } from './support/cpu.ts';
import { LETTER } from './support/letter.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report, spread } from './support/report.ts';

/**
 * Batches of POST /send/batch over HTTP, beside a campaign with the same letter to the same recipients, in turns with it:
 * node bench/batches.ts [--recipients 50000] [--batch 500] [--concurrency 4] [--rounds 1] [--api-processes N] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '50000' },
    batch: { type: 'string', default: '500' },
    concurrency: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '1' },
    'api-processes': { type: 'string' },
    profile: { type: 'string' },
  },
});
const RECIPIENTS = Number(values.recipients);
const BATCH = Number(values.batch);
const CONCURRENCY = Number(values.concurrency);
/** Of each side, before anything is measured. */
const WARM_UP = 4 * BATCH;
const GOAL = { perSecond: 5_000, ofCampaign: 0.7 };

const stack = await startBenchStack({
  template: LETTER,
  workflows: true,
  apiProcesses: values['api-processes'] === undefined ? undefined : Number(values['api-processes']),
  profileDir: values.profile,
  progress,
});
const { sink } = stack;
try {
  await addRecipients(stack.databaseUrl, stack.projectId, Math.max(RECIPIENTS, WARM_UP));
  progress('warming up');
  await measured(() => sendBatches(WARM_UP, 'warm'));
  await measured(() => sendCampaign({ mode: 'people', emails: Array.from({ length: WARM_UP }, (_, n) => addressOf(n)) }));
  const rounds = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    progress(`a campaign to ${RECIPIENTS} recipients`);
    const campaign = await measured(async () => sendCampaign(await importedAudience(stack)));
    progress(`batches of ${BATCH} to as many`);
    const batches = await measured(() => sendBatches(RECIPIENTS, `round-${round}`));
    const ratio = share(batches.perSecondWhileSending, campaign.perSecondWhileSending);
    const cpuRatio = share(batches.cpuSecondsPer1000.total, campaign.cpuSecondsPer1000.total);
    const met = ratio >= GOAL.ofCampaign && batches.perSecondWhileSending >= GOAL.perSecond;
    rounds.push({ campaign, batches, ratio, cpuRatio, met });
  }
  report('batches', {
    goal: `${GOAL.perSecond} mails a second, at least ${GOAL.ofCampaign} of a campaign's rate in the same run`,
    ...{ recipients: RECIPIENTS, batchSize: BATCH, concurrency: CONCURRENCY, rounds, peakMemoryMb: await stack.peakMemory() },
  });
  if (!rounds.every(({ campaign, batches }) => campaign.agree && batches.agree)) process.exitCode = 1;
} finally {
  await stack.stop();
}

/** What one side did, by the sink and by what it says itself. */
async function measured<Own extends { readonly sent: number; readonly asked: number }>(work: () => Promise<Own>) {
  await sink.reset();
  const used = await startMeter(stack.cpu);
  const startedAt = Date.now() / 1000;
  const own = await work();
  const cpu = await used(sink.messages);
  const { messages, duplicates, bytes, first_unix, last_unix, connections_opened } = await sink.stats();
  return {
    mailsAtSink: messages,
    duplicates,
    agree: own.sent === own.asked && messages === own.asked && duplicates === 0,
    bytesPerMail: Math.round(bytes / Math.max(messages, 1)),
    perSecondWhileSending: Math.round(messages / (last_unix - first_unix)),
    perSecondStartToLast: Math.round(messages / (last_unix - startedAt)),
    ...own,
    ...cpu,
    connections_opened,
  };
}

async function sendCampaign(audience: object) {
  const { campaignId, enrolled } = await startCampaign(stack, audience);
  await sink.received(enrolled);
  const { sent_count } = await campaignEnds(stack, campaignId);
  return { asked: enrolled, sent: Number(sent_count) };
}

/** Under a key for each batch, as whoever wants to repeat one that is cut off would send them. */
async function sendBatches(count: number, name: string) {
  const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, n) => n * BATCH);
  const tookMs: number[] = [];
  let sent = 0;
  await inParallel(CONCURRENCY, starts, async (start) => {
    const mails = Array.from({ length: Math.min(BATCH, count - start) }, (_, n) => ({
      ...{ template: LETTER, type: 'marketing', to: addressOf(start + n) },
      data: { name: `First${start + n}` },
    }));
    const begun = performance.now();
    const { results } = await callApi(stack, 'POST', '/send/batch', { mails, idempotencyKey: `${name}-${start}` });
    tookMs.push(performance.now() - begun);
    sent += results.filter(({ ok }: { readonly ok: boolean }) => ok).length;
  });
  return { asked: count, sent, answers: spread(tookMs) };
}

/** Of a contact that `addRecipients` wrote. */
function addressOf(n: number): string {
  return `person-${n}@to.example`;
}

function share(ours = 0, theirs = 0): number {
  return Number((ours / theirs).toFixed(2));
}
