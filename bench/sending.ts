import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { BatchesWanted, BatchSenderLine } from './support/batch-sender.ts';
import { type BenchStack, startBenchStack } from './support/bench-stack.ts';
import { cpuSeconds, peakMemoryMb, startMeter } from './support/cpu.ts';
import { LETTER } from './support/letter.ts';
import { type CampaignResult, measurePeerCampaign, NO_PEER } from './support/listmonk.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report } from './support/report.ts';

/**
 * Batches of a campaign from one process, without workflows, beside a campaign of listmonk with a letter of the same size to as many
 * recipients: node bench/sending.ts [--recipients 50000] [--batch 500] [--connections 25] [--listmonk DIR] [--peer-connections 25]
 */
const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '50000' },
    batch: { type: 'string', default: '500' },
    connections: { type: 'string', default: '25' },
    listmonk: { type: 'string' },
    'peer-connections': { type: 'string', default: '25' },
  },
});
const RECIPIENTS = Number(values.recipients);
const BATCH = Number(values.batch);
const CONNECTIONS = Number(values.connections);
/** And workers. */
const PEER_CONNECTIONS = Number(values['peer-connections']);
/** Before anything is measured, to contacts of their own. */
const WARM_UP = 2 * BATCH;
const GOAL = { rate: 0.5, cpuPerMail: 2 };

const stack = await startBenchStack({ template: LETTER, api: false, progress });
const { sink } = stack;
try {
  progress(`writing ${WARM_UP + RECIPIENTS} contacts`);
  await addRecipients(stack.databaseUrl, stack.projectId, WARM_UP + RECIPIENTS);
  const sender = await startBatchSender(stack);
  try {
    progress('warming up');
    const { bytesPerMail } = await measureBatches(sender, { offset: 0, count: WARM_UP });
    const peer = await measurePeerCampaign(values.listmonk, {
      sink,
      recipients: RECIPIENTS,
      connections: PEER_CONNECTIONS,
      bytesPerMail,
      progress,
    });
    progress(`batches of ${BATCH} to ${RECIPIENTS} recipients`);
    const ours = await measureBatches(sender, { offset: WARM_UP, count: RECIPIENTS });
    const ratio = peer && ratioOf(ours, peer);
    report('sending', {
      goal: `at least ${GOAL.rate} of listmonk's rate while it sends, at most ${GOAL.cpuPerMail} times its CPU, PostgreSQL and sink included`,
      recipients: RECIPIENTS,
      batchSize: BATCH,
      connections: CONNECTIONS,
      ours,
      peer: peer ?? null,
      ...(ratio ? { ratio, met: ratio.rate >= GOAL.rate && ratio.cpuPerMail <= GOAL.cpuPerMail } : { note: NO_PEER }),
    });
    if (!ours.agree) process.exitCode = 1;
  } finally {
    await sender.stop();
  }
} finally {
  await stack.stop();
}

type OwnResult = Awaited<ReturnType<typeof measureBatches>>;

async function measureBatches(sender: BatchSender, { offset, count }: { offset: number; count: number }) {
  await sink.reset();
  const measured = await startMeter(async () => {
    const { postgres, sink } = await stack.cpu();
    return { sender: await cpuSeconds(sender.pid), postgres, sink };
  });
  const startedAt = Date.now() / 1000;
  const { sent, failed } = await sender.send({ projectId: stack.projectId, offset, count, batchSize: BATCH });
  const used = await measured(sink.messages);
  const { messages, duplicates, bytes, first_unix, last_unix, connections_opened } = await sink.stats();
  return {
    mailsAtSink: messages,
    duplicates,
    agree: failed === 0 && sent === count && messages === count && duplicates === 0,
    bytesPerMail: Math.round(bytes / Math.max(messages, 1)),
    perSecondWhileSending: Math.round(messages / (last_unix - first_unix)),
    perSecondStartToLast: Math.round(messages / (last_unix - startedAt)),
    ...used,
    peakMemoryMb: await peakMemoryMb(sender.pid),
    connections_opened,
  };
}

/** Ours by the peer's. */
function ratioOf(ours: OwnResult, peer: CampaignResult): { readonly rate: number; readonly cpuPerMail: number } {
  const share = (a = 0, b = 0): number => Number((a / b).toFixed(2));
  return {
    rate: share(ours.perSecondWhileSending, peer.perSecondWhileSending),
    cpuPerMail: share(ours.cpuSecondsPer1000.total, peer.cpuSecondsPer1000.total),
  };
}

interface BatchSender {
  readonly pid: number;
  send(wanted: BatchesWanted): Promise<Extract<BatchSenderLine, { event: 'done' }>>;
  stop(): Promise<void>;
}

async function startBatchSender({ env }: BenchStack): Promise<BatchSender> {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL('./support/batch-sender.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, SEND_CONCURRENCY: String(CONNECTIONS) },
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async (): Promise<BatchSenderLine> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the process that sends the batches ended');
    return JSON.parse(value) as BatchSenderLine;
  };
  await next();
  return {
    pid: child.pid!,
    async send(wanted) {
      child.stdin!.write(`${JSON.stringify(wanted)}\n`);
      for (;;) {
        const line = await next();
        if (line.event === 'done') return line;
      }
    },
    async stop() {
      child.stdin!.end();
      await ended;
    },
  };
}
