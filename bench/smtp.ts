import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createMailProvider } from '../platform/mail/create-provider.ts';
import type { OutgoingMail } from '../platform/mail/mail.ts';
import { buildMessage } from '../platform/mail/mime.ts';
import { progress, report } from './support/report.ts';
import { startSink } from './support/sink.ts';
import { bodiesOf, nextMail } from './support/written-mails.ts';

/**
 * The writing of messages, and the SMTP provider alone with messages that are written already, without API and database:
 * node bench/smtp.ts [--mails 40000] [--connections 20] [--concurrency 500] [--kilobytes 5]
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '40000' },
    connections: { type: 'string', default: '20' },
    concurrency: { type: 'string', default: '500' },
    kilobytes: { type: 'string', default: '5' },
  },
});
/** Before the clock starts, so that the sending code is compiled. */
const WARM_UP = 5000;
const MESSAGES_BUILT = 20_000;
/** 8 kB each. */
const BODIES = bodiesOf({ '7bit': 140, 'quoted-printable': 140, base64: 145 });

const building: Record<string, number> = {};
for (const [encoding, html] of Object.entries(BODIES)) {
  for (let i = 0; i < 2000; i++) buildMessage(nextMail(html));
  const started = performance.now();
  for (let i = 0; i < MESSAGES_BUILT; i++) buildMessage(nextMail(html));
  building[encoding] = Math.round((MESSAGES_BUILT / (performance.now() - started)) * 1000);
}

/** About so many kilobytes on the wire; the text is at most 2 kB of them. */
const html = BODIES['7bit'].slice(0, Number(values.kilobytes) * 600);
const mails: OutgoingMail[] = Array.from({ length: WARM_UP + Number(values.mails) }, () => buildMessage(nextMail(html)));

const folder = await mkdtemp(join(tmpdir(), 'everpost-bench-'));
const sink = await startSink(folder);
try {
  const provider = createMailProvider(new URL(sink.smtpUrl), { maxConnections: Number(values.connections) });
  const send = async (batch: readonly OutgoingMail[]): Promise<void> => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < batch.length) {
        const answer = await provider.send(batch[next++]!, '');
        if (answer.outcome !== 'accepted') throw new Error(`a mail was not accepted: ${JSON.stringify(answer)}`);
      }
    };
    await Promise.all(Array.from({ length: Number(values.concurrency) }, worker));
  };
  progress('warming up');
  await send(mails.slice(0, WARM_UP));
  await sink.reset();
  const cpu = process.cpuUsage();
  const started = performance.now();
  await send(mails.slice(WARM_UP));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await sleep(100);
  const { messages, duplicates } = await sink.stats();
  await provider.close();
  report('smtp', {
    messagesBuiltPerSecond: building,
    sending: {
      connections: Number(values.connections),
      concurrency: Number(values.concurrency),
      messageBytes: mails[0]!.content.length,
      mailsPerSecond: Math.round(Number(values.mails) / seconds),
      cpuSecondsPer1000: Number(((user + system) / 1e3 / Number(values.mails)).toFixed(3)),
      mailsAtSink: messages,
      duplicates,
    },
  });
  if (messages !== Number(values.mails) || duplicates > 0) process.exitCode = 1;
} finally {
  await sink.process.stop();
  await rm(folder, { recursive: true, force: true });
}
