import { parseArgs } from 'node:util';
import type { DkimAlgorithm } from '../domain/domains/key-turns.ts';
import { type BenchStack, startBenchStack } from './support/bench-stack.ts';
import { campaignEnds, importedAudience, startCampaign } from './support/campaigns.ts';
import { startMeter } from './support/cpu.ts';
import { LETTER } from './support/letter.ts';
import { type CampaignResult, measurePeerCampaign, NO_PEER } from './support/listmonk.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report } from './support/report.ts';
import { addSignedBrand } from './support/signed-brand.ts';

/**
 * A campaign from POST /campaigns to its last mail, PostgreSQL and Temporal counted on our side, beside one of listmonk with a letter of the
 * same size: node bench/campaign.ts [--recipients 50000] [--cases plain,latency,workers] [--listmonk DIR] [--connections 25] [--profile DIR]
 * The cases `signed` and `signed-latency` have no peer: campaigns with and without DKIM signatures, in turns on one stack, where processors are what is
 * full and where the mail server is.
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

/** Of signed campaigns: the latency of their mail server. */
const SIGNED_CASES: Readonly<Record<string, number | undefined>> = { signed: undefined, 'signed-latency': LATENCY_MS };
/** What a signed campaign is compared by. */
const SIGNED: Readonly<Record<string, readonly DkimAlgorithm[]>> = { rsa: ['rsa'], both: ['rsa', 'ed25519'] };
const SIGNED_GOAL = 0.92;
const ROUNDS = 3;
/** The shortest signature, in base64. */
const SIGNATURE_OCTETS = 300;

const cases = values.cases.split(',');
const runs: (Awaited<ReturnType<typeof measure>> & { readonly case: string })[] = [];
for (const name of cases.filter((each) => !(each in SIGNED_CASES))) {
  const wanted = CASES[name];
  if (!wanted) throw new Error(`--cases: ${[CASES, SIGNED_CASES].flatMap(Object.keys).join(', ')}, not ${name}`);
  progress(`== ${name}`);
  runs.push({ case: name, ...wanted, ...(await measure(wanted)) });
}
const signed: Record<string, Awaited<ReturnType<typeof measureSigned>>> = {};
for (const name of cases.filter((each) => each in SIGNED_CASES)) signed[name] = await measureSigned(name, SIGNED_CASES[name]);
report('campaign', {
  goal: `${GOAL.startToLast} times as fast as listmonk from start to last mail and ${GOAL.whileSending} times while sending, at ${GOAL.cpuPerMail} times its CPU with PostgreSQL and Temporal, under ${GOAL.memoryMb} MB a process`,
  recipients: RECIPIENTS,
  runs,
  ...signed,
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

/** Each kind in turns; of each the round in the middle. */
async function measureSigned(name: string, sinkLatencyMs: number | undefined) {
  progress(`== ${name}`);
  const stack = await startBenchStack({
    template: LETTER,
    workflows: true,
    connections: CONNECTIONS,
    sinkLatencyMs,
    profileDir: values.profile,
    // Nobody answers there, so that no look at the domains takes their keys away.
    settings: { DNS_SERVERS: '127.0.0.1:9' },
    progress,
  });
  try {
    await addRecipients(stack.databaseUrl, stack.projectId, RECIPIENTS);
    for (const [brand, algorithms] of Object.entries(SIGNED)) await addSignedBrand(stack, brand, algorithms);
    const warming = { mode: 'people', emails: Array.from({ length: 1_000 }, (_, n) => `warm-${n}@to.example`) };
    const kinds = ['unsigned', ...Object.keys(SIGNED)];
    const rounds = new Map<string, OwnResult[]>(kinds.map((kind) => [kind, []]));
    const brandOf = (kind: string): string | undefined => (kind in SIGNED ? kind : undefined);
    progress('warming up');
    for (const kind of kinds) await ownCampaign(stack, warming, brandOf(kind));
    for (let round = 1; round <= ROUNDS; round++)
      for (const [kind, results] of rounds) {
        progress(`${kind}, round ${round}`);
        results.push(await ownCampaign(stack, await importedAudience(stack), brandOf(kind)));
      }
    const middle = new Map(
      [...rounds].map(([kind, results]) => [
        kind,
        results.toSorted((a, b) => a.perSecondStartToLast - b.perSecondStartToLast)[ROUNDS >> 1]!,
      ]),
    );
    const unsigned = middle.get('unsigned')!;
    const ratios = Object.keys(SIGNED).map((kind) => {
      const signed = middle.get(kind)!;
      if (signed.bytesPerMail < unsigned.bytesPerMail + SIGNATURE_OCTETS)
        throw new Error(`mails of the campaign ${kind} have ${signed.bytesPerMail} bytes, without signatures ${unsigned.bytesPerMail}`);
      return [kind, { ...shareOf(signed, unsigned), met: shareOf(signed, unsigned).startToLast >= SIGNED_GOAL }];
    });
    if ([...rounds.values()].flat().some(({ agree }) => !agree)) process.exitCode = 1;
    return { goal: SIGNED_GOAL, ratioToUnsigned: Object.fromEntries(ratios), rounds: Object.fromEntries(rounds) };
  } finally {
    await stack.stop();
  }
}

type OwnResult = Awaited<ReturnType<typeof ownCampaign>>;

async function ownCampaign(stack: BenchStack, audience: object, brand?: string) {
  const { sink } = stack;
  await sink.reset();
  const measured = await startMeter(stack.cpu);
  const startedAt = Date.now() / 1000;
  const { campaignId, enrolled } = await startCampaign(stack, audience, brand);
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

function shareOf(ours: OwnResult, other: OwnResult | CampaignResult) {
  const share = (a = 0, b = 0): number => Number((a / b).toFixed(2));
  return {
    startToLast: share(ours.perSecondStartToLast, other.perSecondStartToLast),
    whileSending: share(ours.perSecondWhileSending, other.perSecondWhileSending),
    cpuPerMail: share(ours.cpuSecondsPer1000.total, other.cpuSecondsPer1000.total),
  };
}

/** Ours by the peer's. */
function ratioOf(ours: OwnResult, peer: CampaignResult): object {
  const ratio = shareOf(ours, peer);
  const memory = Math.max(...Object.values(ours.peakMemoryMb));
  const isFast = ratio.startToLast >= GOAL.startToLast && ratio.whileSending >= GOAL.whileSending;
  const met = isFast && ratio.cpuPerMail <= GOAL.cpuPerMail && memory < GOAL.memoryMb;
  return { ...ratio, met };
}
