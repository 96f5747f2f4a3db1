import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { bodyOf, DkimSigner } from '../platform/mail/dkim.ts';
import { createDkimKey, type DkimKey } from '../platform/mail/dkim-key.ts';
import { RelaxedBodyHash } from '../platform/mail/dkim-relaxed.ts';
import { createStreamSigner } from '../platform/mail/dkim-streams.ts';
import { buildMessage } from '../platform/mail/mime.ts';
import type { ComposeRequest } from '../sending/compose/compose-request.ts';
import { createComposer } from '../sending/compose/composer.ts';
import { loadTemplateRegistry } from '../sending/compose/template-registry.ts';
import { withFiles } from '../sending/with-files.ts';
import { LETTER, LETTERS_DIR } from './support/letter.ts';
import { progress, report } from './support/report.ts';
import { nextMail } from './support/written-mails.ts';

/**
 * What DKIM costs: signatures of a message that is there, on one thread; mails of a campaign composed with and without them; and a mail with a large
 * file: node bench/dkim.ts [--windows 40] [--bytes 19600000]
 */
const { values } = parseArgs({
  options: {
    /** Of a tenth of a second, of each measurement. */
    windows: { type: 'string', default: '40' },
    // 25 MB in base64.
    bytes: { type: 'string', default: '19600000' },
  },
});
const [WINDOWS, BYTES] = [Number(values.windows), Number(values.bytes)];
const WINDOW_MS = 100;
const WARM_UP_MS = 500;
const BATCH = 500;
/** As a body is read. */
const CHUNK = 64 * 1024;

const keyOf = async (algorithm: DkimKey['algorithm']): Promise<DkimKey> => ({
  ...(await createDkimKey(algorithm)),
  ...{ domain: 'bench.example', selector: algorithm },
});
const [rsa, ed25519] = await Promise.all([keyOf('rsa'), keyOf('ed25519')]);
const KEYS: Readonly<Record<string, readonly DkimKey[]>> = { none: [], rsa2048: [rsa], ed25519: [ed25519], both: [rsa, ed25519] };

const composer = createComposer({
  secretKey: Buffer.alloc(32, 1),
  publicUrl: 'https://mail.example.com',
  authoring: { compile: () => Promise.reject(new Error('nothing is compiled again here')) },
  log: { error: (event, fields) => progress(`${event} ${JSON.stringify(fields)}`) },
});
const { subject, content, compiled } = (await loadTemplateRegistry(LETTERS_DIR)).get(LETTER)!;
const SHARED = {
  template: { id: LETTER, content, compiled },
  format: 'message',
  type: 'marketing',
  ...{ subject, event: undefined, replyTo: undefined, isTracked: true, required: [], now: Date.now() },
  from: { email: 'hello@bench.example', name: 'The Bench' },
  brand: { slug: 'bench', name: 'The Bench', logo_url: null, color: '#0f766e', website: null, address: '1 Bench Street' },
} as const;
const TRAITS = { attributes: {}, tags: [], created_at: '2026-04-01T00:00:00Z', updated_at: '2026-04-01T00:00:00Z' };
const linkSecret = Buffer.alloc(32, 2);

const batchOf = (dkimKeys: readonly DkimKey[]): ComposeRequest[] =>
  Array.from({ length: BATCH }, (_, n) => {
    const id = `0199c0de-1111-7000-8000-${String(n).padStart(12, '0')}`;
    const contactJson = JSON.stringify({ id, email: `person-${n}@to.example`, first_name: `First ${n}`, ...TRAITS });
    return {
      ...SHARED,
      ...{ sendId: id, to: `person-${n}@to.example`, contactJson, data: { name: `First ${n}` }, dkimKeys },
      unsubscribe: { contactId: id, linkSecret },
    };
  });

/** Seconds of processor time for a thousand. */
interface Cost {
  /** In all threads: of all windows the one in the middle, and the best, since what else runs on the machine only ever makes it more. */
  readonly cpuSecondsPer1000: { readonly median: number; readonly best: number };
  /** The same in this thread alone. */
  readonly ofThisThread: { readonly median: number; readonly best: number };
}

type Work = () => Promise<number> | number;

async function windowOf(work: Work, ms = WINDOW_MS): Promise<{ readonly all: number; readonly own: number }> {
  const [all, own, begun] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
  let count = 0;
  while (performance.now() - begun < ms) count += await work();
  const [allUsed, ownUsed] = [process.cpuUsage(all), process.threadCpuUsage(own)];
  const per1000 = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e3 / count;
  return { all: per1000(allUsed), own: per1000(ownUsed) };
}

/** Each kind in turns. */
async function inTurns(kinds: Readonly<Record<string, Work>>): Promise<Record<string, Cost>> {
  const windows = new Map(Object.keys(kinds).map((kind) => [kind, [] as { readonly all: number; readonly own: number }[]]));
  for (const work of Object.values(kinds)) await windowOf(work, WARM_UP_MS);
  for (let left = WINDOWS; left > 0; left--)
    for (const [kind, work] of Object.entries(kinds)) windows.get(kind)?.push(await windowOf(work));
  const of = (numbers: readonly number[]) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    return { median: rounded(sorted[sorted.length >> 1]), best: rounded(sorted[0]) };
  };
  return Object.fromEntries(
    [...windows].map(([kind, all]) => [
      kind,
      { cpuSecondsPer1000: of(all.map((one) => one.all)), ofThisThread: of(all.map((one) => one.own)) },
    ]),
  );
}

function rounded(value = 0): number {
  return Number(value.toFixed(4));
}

const each = <T>(of: (keys: readonly DkimKey[]) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(KEYS).map(([kind, keys]) => [kind, of(keys)]));

async function compose(batch: readonly ComposeRequest[]): Promise<number> {
  const composed = await composer.compose(batch);
  composer.recycle(
    composed.map((one) => {
      if (!one.ok) throw new Error(one.message);
      return one.mail;
    }),
  );
  return batch.length;
}

const [first] = await composer.compose(batchOf([]).slice(0, 1));
if (!first?.ok) throw new Error(first?.message);
const message = Buffer.from(first.mail.content);

progress('signing');
const signer = new DkimSigner();
const head = message.toString('latin1', 0, 4096);
const { none: _, ...signing } = each((keys) => () => {
  const { text, signatures } = signer.open(head, keys, new Date());
  signer.close(Buffer.concat([Buffer.from(text, 'latin1'), message]), signatures);
  return 1;
});
const signatures = await inTurns({
  ...signing,
  bodyHashAlone: () => {
    const body = new RelaxedBodyHash();
    body.update(bodyOf(message));
    body.digest();
    return 1;
  },
});

progress('composing');
const composing = await inTurns(
  each((keys) => {
    const batches = [batchOf(keys), batchOf(keys)] as const;
    // Two at a time: while one is submitted, the next is composed.
    return async () => (await Promise.all(batches.map(compose))).reduce((a, b) => a + b);
  }),
);
await composer.close();

progress('a large file');
const bytes = randomBytes(BYTES);
const sha256 = createHash('sha256').update(bytes).digest('hex');
const attachments = [{ filename: 'a.bin', contentType: 'application/octet-stream', size: BYTES, sha256 }];
async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < BYTES; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}
const streams = createStreamSigner();
const large = await inTurns({
  async both() {
    const written = withFiles(buildMessage({ ...nextMail('<p>Yours</p>'), attachments }), { projectId: '', attachments }, async () =>
      chunks(),
    );
    const { signatures: open } = signer.open(Buffer.from(written.content).toString('latin1'), [rsa, ed25519], new Date());
    await streams.fillings({ ...written, signatures: open }, () => true);
    return 1;
  },
});
await streams.close();

/** What signing adds to composing, and how many signatures a thread makes that does nothing else. */
const added = Object.fromEntries(
  Object.keys(signing).map((kind) => {
    const more = (of: 'median' | 'best'): number => rounded(composing[kind]!.cpuSecondsPer1000[of] - composing.none!.cpuSecondsPer1000[of]);
    return [kind, { cpuSecondsPer1000: { median: more('median'), best: more('best') } }];
  }),
);
const perSecond = Object.fromEntries(
  Object.entries(signatures).map(
    ([
      kind,
      {
        ofThisThread: { median, best },
      },
    ]) => [kind, { median: Math.round((1 / median) * 1000), best: Math.round((1 / best) * 1000) }],
  ),
);
report('dkim', {
  messageBytes: message.length,
  perSecondOnOneThread: perSecond,
  signatures,
  composing,
  added,
  largeFile: { bytes: BYTES, ...large },
});
