import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import { createMailProvider } from '../platform/mail/create-provider.ts';
import type { OutgoingMail, WrittenMail } from '../platform/mail/mail.ts';
import { buildMessage } from '../platform/mail/mime.ts';
import { startDistance } from './support/distance.ts';
import { progress, report } from './support/report.ts';
import { startSink } from './support/sink.ts';
import { bodiesOf, nextMail } from './support/written-mails.ts';

/**
 * Everpost's SMTP client and writing of messages, and nodemailer's with a pool of as many connections, in turns and at the same sink: messages
 * written, written messages sent to a server beside it, and to one behind a network that takes its time.
 * node bench/smtp-client.ts [--mails 10000] [--connections 20] [--concurrency 500] [--rounds 3] [--milliseconds 10]
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '20' },
    concurrency: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '3' },
    /** From a packet to the answer to it. */
    milliseconds: { type: 'string', default: '10' },
  },
});
const [mailsOfRound, connections, concurrency, rounds, roundTripMs] = [
  Number(values.mails),
  Number(values.connections),
  Number(values.concurrency),
  Number(values.rounds),
  Number(values.milliseconds),
];
/** Before the first round, so that the code is compiled and the connections are open. */
const WARM_UP = 3000;
const MESSAGES_BUILT = 3000;
const MAILS_FAR_AWAY = 4000;
/** 5 kB each on the wire of the first. */
const BODIES = bodiesOf({ '7bit': 60, 'quoted-printable': 60, base64: 60 });

interface Side {
  build(mail: WrittenMail): Promise<unknown>;
  /** A client of the server at this address. */
  open(url: string): { send(mail: OutgoingMail): Promise<void>; close(): Promise<void> };
}

const SIDES: Readonly<Record<'everpost' | 'nodemailer', Side>> = {
  everpost: {
    build: async (mail) => buildMessage(mail),
    open(url) {
      const provider = createMailProvider(new URL(url), { maxConnections: connections });
      return {
        async send(mail) {
          const answer = await provider.send(mail, '');
          if (answer.outcome !== 'accepted') throw new Error(`a mail was not accepted: ${JSON.stringify(answer)}`);
        },
        close: () => provider.close(),
      };
    },
  },
  nodemailer: {
    build: ({ from, to, subject, html, text, messageId, date }) =>
      new MailComposer({ from: { address: from.email, name: from.name ?? '' }, to, subject, html, text, messageId, date })
        .compile()
        .build(),
    open(url) {
      const { hostname, port } = new URL(url);
      const pool = { pool: true as const, maxConnections: connections, maxMessages: Number.POSITIVE_INFINITY };
      const transport = createTransport({ host: hostname, port: Number(port), ...pool });
      return {
        async send({ from, to, content }) {
          await transport.sendMail({ envelope: { from, to }, raw: content as Buffer });
        },
        close: async () => transport.close(),
      };
    },
  },
};

interface Round {
  readonly perSecond: number;
  readonly cpuSecondsPer1000: number;
}

const written = (mails: number): OutgoingMail[] => Array.from({ length: mails }, () => buildMessage(nextMail(BODIES['7bit'])));

async function measured(mails: number, work: () => Promise<void>): Promise<Round> {
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: Math.round(mails / seconds), cpuSecondsPer1000: Number(((user + system) / 1e3 / mails).toFixed(3)) };
}

/** Both sides in turns; of each the round with the median rate. */
async function inTurns(round: (side: Side) => Promise<Round>): Promise<Record<string, Round>> {
  const all: Record<string, Round[]> = {};
  for (let turn = 0; turn < rounds; turn++)
    for (const [name, side] of Object.entries(SIDES)) all[name] = [...(all[name] ?? []), await round(side)];
  const median = (of: readonly Round[]): Round => of.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(of.length / 2)]!;
  return Object.fromEntries(Object.entries(all).map(([name, of]) => [name, median(of)]));
}

async function build(side: Side, html: string): Promise<Round> {
  const mails = Array.from({ length: MESSAGES_BUILT }, () => nextMail(html));
  for (const mail of mails.slice(0, MESSAGES_BUILT / 3)) await side.build(mail);
  return measured(mails.length, async () => {
    for (const mail of mails) await side.build(mail);
  });
}

async function send(side: Side, url: string, mails: number): Promise<Round> {
  const client = side.open(url);
  const sendAll = async (batch: readonly OutgoingMail[]): Promise<void> => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < batch.length) await client.send(batch[next++]!);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  };
  await sendAll(written(WARM_UP));
  const batch = written(mails);
  const round = await measured(mails, () => sendAll(batch));
  await client.close();
  return round;
}

const folder = await mkdtemp(join(tmpdir(), 'everpost-bench-'));
const sink = await startSink(folder);
const distance = await startDistance(new URL(sink.smtpUrl), roundTripMs);
try {
  const building: Record<string, unknown> = {};
  for (const [encoding, html] of Object.entries(BODIES)) {
    progress(`writing messages: ${encoding}`);
    building[encoding] = await inTurns((side) => build(side, html));
  }
  progress('sending to a server beside it');
  const near = await inTurns((side) => send(side, sink.smtpUrl, mailsOfRound));
  progress(`sending to a server ${roundTripMs} ms away`);
  const far = await inTurns((side) => send(side, distance.url, MAILS_FAR_AWAY));
  const { messages, duplicates } = await sink.stats();
  const sent = Object.keys(SIDES).length * rounds * (2 * WARM_UP + mailsOfRound + MAILS_FAR_AWAY);
  report('smtp-client', {
    rounds,
    connections,
    concurrency,
    messageBytes: written(1)[0]!.content.length,
    building,
    // CPU is that of the distance too.
    sending: { near, far: { roundTripMs, everpost: far.everpost?.perSecond, nodemailer: far.nodemailer?.perSecond } },
    mailsAtSink: messages,
    duplicates,
  });
  if (messages !== sent || duplicates > 0) process.exitCode = 1;
} finally {
  await distance.close();
  await sink.process.stop();
  await rm(folder, { recursive: true, force: true });
}
