import { createVault } from '../domain/projects/crypto.ts';
import { compileContent } from '../domain/templates/compile.ts';
import { COMPILED_FORMAT } from '../domain/templates/compiled-content.ts';
import type { Content } from '../domain/templates/content.ts';
import { createLinkCounter } from '../domain/templates/counted-links.ts';
import { parseContent } from '../domain/templates/parse-content.ts';
import { renderMail } from '../domain/templates/render.ts';
import { mailVariables } from '../domain/templates/variables.ts';
import type { ComposeRequest, ComposeTemplate } from '../sending/compose/compose-request.ts';
import { createComposer } from '../sending/compose/composer.ts';
import { loadTemplateRegistry } from '../sending/compose/template-registry.ts';

/**
 * Microseconds of processor time to compose one mail for one recipient in threads, in batches and alone, and to render it as a whole in one
 * thread. Prints JSON. Usage: node bench/render.ts [seconds per measurement, default 2]
 */
const SECONDS = Number(process.argv[2] ?? 2);
const BATCH = 500;
const WORDS = 'A letter of five thousand characters, with a name and some links, is longer than most mails are. ';

const SECRET_KEY = Buffer.alloc(32, 1);
const PUBLIC_URL = 'https://mail.example.com';
const NOW = Date.now();
const LINK_SECRET = Buffer.alloc(32, 2);
const SENDER = { email: 'news@acme.example', name: 'Acme News' };
const BRAND = { slug: 'acme', name: 'Acme', logo_url: null, color: '#0f766e', website: null, address: '1 Example Street' };

/** One variable, three links, five thousand characters of text. */
const LETTER: Content = {
  blocks: [
    { type: 'heading', text: 'Dear {{ name }}' },
    ...Array.from({ length: 8 }, () => ({ type: 'text' as const, text: WORDS.repeat(6) })),
    { type: 'text', text: '[Read more](https://shop.example/more?a=1&b=2) or [write](https://shop.example/write).' },
    { type: 'button', label: 'Open', url: 'https://shop.example/open' },
  ],
};

/** Of all windows of a measurement the one in the middle, and the best: what else runs on the machine only ever makes it more. */
interface Microseconds {
  readonly median: number;
  readonly best: number;
}

interface Measured {
  readonly mail: string;
  readonly messageBytes: number;
  /** Processor time a mail, garbage collection included. */
  readonly batch: { readonly mails: number; readonly thread: Microseconds; readonly main: Microseconds; readonly perSecond: number };
  readonly single: {
    readonly thread: Microseconds;
    readonly main: Microseconds;
    readonly p50Microseconds: number;
    readonly p99Microseconds: number;
  };
  /** Rendered to text in one thread, not encoded. */
  readonly whole: Microseconds;
}

const composer = createComposer({
  secretKey: SECRET_KEY,
  publicUrl: PUBLIC_URL,
  authoring: { compile: () => Promise.reject(new Error('nothing is compiled again here')) },
  log: { error: console.error },
});

let sendCount = 0;
function request(template: ComposeTemplate, subject: string, data: Record<string, unknown>, recipient: number): ComposeRequest {
  return {
    sendId: `0199c0de-0000-7000-8000-${String(++sendCount).padStart(12, '0')}`,
    template,
    format: 'message',
    type: 'marketing',
    subject,
    from: SENDER,
    to: `recipient-${recipient}@example.com`,
    replyTo: undefined,
    brand: BRAND,
    contactJson: contactJson(recipient),
    data: 'name' in data ? { ...data, name: `Recipient ${recipient}` } : data,
    event: undefined,
    unsubscribe: { contactId: contactId(recipient), linkSecret: LINK_SECRET },
    isTracked: true,
    required: [],
    now: NOW,
  };
}

function contactId(recipient: number): string {
  return `0199c0de-1111-7000-8000-${String(recipient).padStart(12, '0')}`;
}

function contactJson(recipient: number): string {
  const at = '2026-04-01T00:00:00.123456+00:00';
  const names = {
    first_name: `First ${recipient}`,
    last_name: 'Last',
    display_name: null,
    status: 'subscribed',
    brand_id: 'acme',
    source: 'api',
  };
  const rest = {
    tags: ['vip', 'beta'],
    timezone: 'Europe/Paris',
    locale: 'fr',
    attributes: { plan: 'team', seats: 5 },
    created_at: at,
    updated_at: at,
  };
  return JSON.stringify({
    id: contactId(recipient),
    project_id: contactId(0),
    email: `recipient-${recipient}@example.com`,
    ...names,
    ...rest,
  });
}

const WINDOW_MS = 100;

async function measured(
  run: () => Promise<number>,
): Promise<{ thread: Microseconds; main: Microseconds; perSecond: number; times: number[] }> {
  for (const end = performance.now() + 1000; performance.now() < end; ) await run();
  const times: number[] = [];
  const windows: { readonly thread: number; readonly main: number }[] = [];
  let total = 0;
  const begun = performance.now();
  while (performance.now() - begun < SECONDS * 1000) {
    let mails = 0;
    const [all, main, windowBegun] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
    while (performance.now() - windowBegun < WINDOW_MS) {
      const before = performance.now();
      mails += await run();
      times.push((performance.now() - before) * 1000);
    }
    const [allUsed, mainUsed] = [process.cpuUsage(all), process.threadCpuUsage(main)];
    const inMain = mainUsed.user + mainUsed.system;
    windows.push({ thread: (allUsed.user + allUsed.system - inMain) / mails, main: inMain / mails });
    total += mails;
  }
  const of = (values: number[]): Microseconds => {
    const sorted = values.toSorted((a, b) => a - b);
    return { median: round(sorted[sorted.length >> 1] ?? 0), best: round(sorted[0] ?? 0) };
  };
  const perSecond = Math.round((total * 1000) / (performance.now() - begun));
  return { thread: of(windows.map(({ thread }) => thread)), main: of(windows.map(({ main }) => main)), perSecond, times };
}

async function measure(mail: string, template: ComposeTemplate, subject: string, data: Record<string, unknown>): Promise<Measured> {
  // Made before: what asks for mails has them at hand.
  const batches = Array.from({ length: 4 }, () =>
    Array.from({ length: BATCH }, (_, recipient) => request(template, subject, data, recipient)),
  );
  const compose = async (batch: readonly ComposeRequest[]): Promise<number> => {
    const composed = await composer.compose(batch);
    for (const one of composed) if (!one.ok) throw new Error(one.message);
    composer.recycle(composed.flatMap((each) => (each.ok ? each.mail : [])));
    return batch.length;
  };
  let turn = 0;
  // Two batches at a time: while one is submitted, the next is composed.
  const inBatches = await measured(async () => {
    turn += 2;
    const counts = await Promise.all([compose(batches[turn % 4]!), compose(batches[(turn + 1) % 4]!)]);
    return counts[0] + counts[1];
  });
  const alone = await measured(() => compose([batches[0]![turn++ % BATCH]!]));
  const [first] = await composer.compose([batches[0]![0]!]);
  const sorted = alone.times.toSorted((a, b) => a - b);
  const at = (share: number): number => round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return {
    mail,
    messageBytes: first?.ok ? first.mail.content.length : 0,
    batch: { mails: BATCH, thread: inBatches.thread, main: inBatches.main, perSecond: inBatches.perSecond },
    single: { thread: alone.thread, main: alone.main, p50Microseconds: at(0.5), p99Microseconds: at(0.99) },
    whole: await wholeMicroseconds(template, subject, data),
  };
}

async function wholeMicroseconds(template: ComposeTemplate, subject: string, data: Record<string, unknown>): Promise<Microseconds> {
  const linksOf = createLinkCounter(createVault(SECRET_KEY));
  let recipient = 0;
  const { main } = await measured(async () => {
    recipient = (recipient + 1) % BATCH;
    const { to, sendId } = request(template, subject, data, recipient);
    const variables = mailVariables({
      data: { ...data, name: `Recipient ${recipient}` },
      contact: JSON.parse(contactJson(recipient)),
      brand: BRAND,
      recipientEmail: to,
      unsubscribeUrl: `${PUBLIC_URL}/api/v1/unsubscribe?c=${recipient}&t=v1.token`,
      now: new Date(NOW),
    });
    renderMail(template.compiled, { subject, variables, type: 'marketing', links: linksOf(sendId, PUBLIC_URL) });
    return 1;
  });
  return main;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const compileBegan = performance.now();
const parsed = parseContent(LETTER);
if (parsed.issues) throw new Error(JSON.stringify(parsed.issues));
const letter: ComposeTemplate = { id: 'letter', content: parsed.content, compiled: await compileContent(parsed.content) };
const compileMilliseconds = round(performance.now() - compileBegan);

const mails = [await measure('5 kB letter', letter, 'For {{ name }}', { name: '' })];
for (const key of ['announcement', 'newsletter']) {
  const { subject, content, compiled, dataSchema } = (await loadTemplateRegistry()).get(key)!;
  const data = Object.fromEntries(dataSchema.map(({ path, sample }) => [path, sample]));
  mails.push(await measure(key, { id: key, content, compiled }, subject, data));
}
await composer.close();
console.log(
  JSON.stringify({ bench: 'render', node: process.version, compiledFormat: COMPILED_FORMAT, compileMilliseconds, mails }, null, 2),
);
