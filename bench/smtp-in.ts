import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../local/ports.ts';
import { eventually } from '../test/support/eventually.ts';
import { spawnProgram } from '../test/support/everpost-process.ts';
import { smtpDialogue } from '../test/support/smtp-dialogue.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { cpuSeconds, startMeter } from './support/cpu.ts';
import { progress, report, spread } from './support/report.ts';

/**
 * Messages by SMTP, and in turns with them POST /send with the same content, the same each time and another each time, over as many connections:
 * node bench/smtp-in.ts [--seconds 10] [--connections 10]
 */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' }, connections: { type: 'string', default: '10' } } });
const [seconds, connections] = [Number(values.seconds), Number(values.connections)];
const WARM_UP_SECONDS = 3;
const LINE = 'A letter as software writes it, of some words in each of its lines, to people who wait for it.';

const stack = await startBenchStack({ apiProcesses: 1, progress });
const port = await freePort();
const smtp = spawnProgram('smtp', stack.folder, { ...stack.env, SMTP_PORT: String(port) });
try {
  await eventually(async () => {
    const { greeting, drop } = await smtpDialogue(port);
    drop();
    return greeting.startsWith('220');
  });
  const smtpPid = Number(await readFile(join(stack.folder, 'smtp.pid'), 'utf8'));
  const cpu = async () => ({ ...(await stack.cpu()), smtp: await cpuSeconds(smtpPid) });
  const ways = { smtp: bySmtp, postSendSameContent: byHttp(true), postSendOtherContent: byHttp(false) };
  const runs: Record<string, object> = {};
  for (const [name, way] of Object.entries(ways)) {
    progress(name);
    await load(way, WARM_UP_SECONDS);
    await stack.sink.reset();
    const measured = await startMeter(cpu);
    const { milliseconds, taken } = await load(way, seconds);
    const used = await measured(stack.sink.messages);
    const messages = await stack.sink.messages();
    runs[name] = {
      perSecond: Math.round(milliseconds.length / taken),
      ...spread(milliseconds),
      agree: messages === milliseconds.length,
      ...used,
    };
  }
  report('smtp-in', { connections, seconds, bytesPerMail: htmlOf(0).length, runs });
} finally {
  await smtp.stop();
  await stack.stop();
}

/** Sends the mail of this number and resolves when it was taken. */
type Send = (n: number) => Promise<void>;

function htmlOf(n: number): string {
  return `<p>Number ${n}</p>\n${`<p>${LINE}</p>\n`.repeat(30)}`;
}

async function load(way: () => Promise<Send>, forSeconds: number): Promise<{ milliseconds: number[]; taken: number }> {
  const sends = await Promise.all(Array.from({ length: connections }, way));
  const milliseconds: number[] = [];
  const begun = performance.now();
  let n = 0;
  await Promise.all(
    sends.map(async (send) => {
      while (performance.now() - begun < forSeconds * 1000) {
        const at = performance.now();
        await send(n++);
        milliseconds.push(performance.now() - at);
      }
    }),
  );
  return { milliseconds, taken: (performance.now() - begun) / 1000 };
}

async function bySmtp(): Promise<Send> {
  const dialogue = await smtpDialogue(port);
  const say = async (line: string): Promise<void> => {
    const answer = await dialogue.say(line);
    if (!/^[23]/.test(answer)) throw new Error(`${line.slice(0, 40)}: ${answer}`);
  };
  await say('EHLO bench');
  await dialogue.logIn('bench', stack.key);
  const started = process.hrtime.bigint();
  return async (n) => {
    await say('MAIL FROM:<hello@bench.example>');
    await say(`RCPT TO:<person-${n}@to.example>`);
    await say('DATA');
    const head = `From: hello@bench.example\r\nTo: person-${n}@to.example\r\nSubject: Letter ${n}\r\nMessage-ID: <${started}-${n}@bench>\r\n`;
    await say(`${head}Content-Type: text/html\r\n\r\n${htmlOf(n).replaceAll('\n', '\r\n')}.`);
  };
}

function byHttp(isSame: boolean): () => Promise<Send> {
  return async () => async (n) => {
    const body = { to: `person-${n}@to.example`, type: 'transactional', subject: `Letter ${n}`, html: htmlOf(isSame ? 0 : n) };
    const answer = await fetch(`${stack.apiUrl}/api/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  };
}
