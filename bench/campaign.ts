import { parseArgs } from 'node:util';
import { type BenchStack, startBenchStack } from './support/bench-stack.ts';
import { campaignEnds, importedAudience, startCampaign } from './support/campaigns.ts';
import { startMeter } from './support/cpu.ts';
import { LETTER } from './support/letter.ts';
import { type CampaignResult, measurePeerCampaign, NO_PEER } from './support/listmonk.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report } from './support/report.ts';

/**
 * A campaign from POST /campaigns to its last mail, PostgreSQL and Temporal counted on our side, beside one of listmonk with a letter of the
 * same size: node bench/campaign.ts [--recipients 50000] [--cases plain,latency,workers] [--listmonk DIR] [--connections 25] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '50000' },
    cases: { type: 'string', default: 'plain,latency,workers' },
    listmonk: { type: 'string' },
    connections: { type: 'string', default: '25' },
    profile: { type: 'string' },
  },
});
const RECIPIENTS = Number(values.recipients);
/** To the mail server, for each side. */
const CONNECTIONS = Number(values.connections);
const GOAL = { startToLast: 1.5, whileSending: 1, cpuPerMail: 1, memoryMb: 400 };
const LATENCY_MS = 20;

interface Case {
  readonly workers: number;
  readonly sinkLatencyMs?: number;
}
const CASES: Readonly<Record<string, Case>> = {
  plain: { workers: 1 },
  latency: { workers: 1, sinkLatencyMs: LATENCY_MS },
  workers: { workers: 2 },
};

const runs: (Awaited<ReturnType<typeof measure>> & { readonly case: string })[] = [];
for (const name of values.cases.split(',')) {
  const wanted = CASES[name];
  if (!wanted) throw new Error(`--cases: ${Object.keys(CASES).join(', ')}, not ${name}`);
  progress(`== ${name}`);
  runs.push({ case: name, ...wanted, ...(await measure(wanted)) });
}
report('campaign', {
  goal: `${GOAL.startToLast} times as fast as listmonk from start to last mail and ${GOAL.whileSending} times while sending, at ${GOAL.cpuPerMail} times its CPU with PostgreSQL and Temporal, under ${GOAL.memoryMb} MB a process`,
  recipients: RECIPIENTS,
  runs,
  latencyCpuOfPlain: Number((cpuOf('latency') / cpuOf('plain')).toFixed(2)),
});

/** NaN, which JSON has as null, when the case was not measured. */
function cpuOf(name: string): number {
  return runs.find((run) => run.case === name)?.ours.cpuSecondsPer1000.total ?? Number.NaN;
}

async function measure({ workers, sinkLatencyMs }: Case) {
  const stack = await startBenchStack({
    template: LETTER,
    workflows: true,
    workers,
    connections: Math.ceil(CONNECTIONS / workers),
    sinkLatencyMs,
    profileDir: values.profile,
    progress,
  });
  try {
    await addRecipients(stack.databaseUrl, stack.projectId, RECIPIENTS);
    progress('warming up');
    const { bytesPerMail } = await ownCampaign(stack, {
      mode: 'people',
      emails: Array.from({ length: 1_000 }, (_, n) => `warm-${n}@to.example`),
    });
    progress(`a campaign to ${RECIPIENTS} recipients`);
    const ours = await ownCampaign(stack, await importedAudience(stack));
    const peer = await measurePeerCampaign(values.listmonk, {
      sink: stack.sink,
      recipients: RECIPIENTS,
      connections: CONNECTIONS,
      bytesPerMail,
      progress,
    });
    if (!ours.agree) process.exitCode = 1;
    return { ours, peer: peer ?? null, ...(peer ? { ratio: ratioOf(ours, peer) } : { note: NO_PEER }) };
  } finally {
    await stack.stop();
  }
}

type OwnResult = Awaited<ReturnType<typeof ownCampaign>>;

async function ownCampaign(stack: BenchStack, audience: object) {
  const { sink } = stack;
  await sink.reset();
  const measured = await startMeter(stack.cpu);
  const startedAt = Date.now() / 1000;
  const { campaignId, enrolled } = await startCampaign(stack, audience);
  const answeredInSeconds = Number((Date.now() / 1000 - startedAt).toFixed(2));
  await sink.received(enrolled);
  const used = await measured(sink.messages);
  const { messages, duplicates, bytes, first_unix, last_unix, connections_opened } = await sink.stats();
  const campaign = await campaignEnds(stack, campaignId);
  return {
    mailsAtSink: messages,
    duplicates,
    agree: campaign.sent_count === enrolled && messages === enrolled && duplicates === 0,
    bytesPerMail: Math.round(bytes / Math.max(messages, 1)),
    answeredInSeconds,
    firstMailAfterSeconds: Number((first_unix - startedAt).toFixed(2)),
    perSecondWhileSending: Math.round(messages / (last_unix - first_unix)),
    perSecondStartToLast: Math.round(messages / (last_unix - startedAt)),
    ...used,
    peakMemoryMb: await stack.peakMemory(),
    connections_opened,
  };
}

/** Ours by the peer's. */
function ratioOf(ours: OwnResult, peer: CampaignResult): object {
  const share = (a = 0, b = 0): number => Number((a / b).toFixed(2));
  const ratio = {
    startToLast: share(ours.perSecondStartToLast, peer.perSecondStartToLast),
    whileSending: share(ours.perSecondWhileSending, peer.perSecondWhileSending),
    cpuPerMail: share(ours.cpuSecondsPer1000.total, peer.cpuSecondsPer1000.total),
  };
  const memory = Math.max(...Object.values(ours.peakMemoryMb));
  const isFast = ratio.startToLast >= GOAL.startToLast && ratio.whileSending >= GOAL.whileSending;
  const met = isFast && ratio.cpuPerMail <= GOAL.cpuPerMail && memory < GOAL.memoryMb;
  return { ...ratio, met };
}
