import { compileContent } from '../domain/template/compile.ts';
import { type Content, parseContent } from '../domain/template/content.ts';
import { renderMail } from '../domain/template/render.ts';
import { mailVariables } from '../domain/template/variables.ts';
import { loadTemplateRegistry } from '../platform/template-registry.ts';

/**
 * Microseconds to render one mail for one recipient: subject, HTML and text. Prints JSON.
 * Usage: node bench/render.ts [seconds per mail, default 1]
 */
const SECONDS = Number(process.argv[2] ?? 1);
/** Different data for each rendering, as for different recipients. */
const RECIPIENTS = 500;
const WORDS = 'A letter of five thousand characters, with names and a table, is longer than most mails are. ';

const brand = { slug: 'acme', name: 'Acme', logo_url: null, color: '#0f766e', website: 'https://example.com', address: '1 Example Street' };

const letter: Content = {
  preheader: 'For {{ name }}',
  blocks: [
    { type: 'heading', text: 'Dear {{ name }}' },
    ...Array.from({ length: 8 }, (_, index) => ({
      type: 'text' as const,
      text: `{{ name }}, part ${index + 1}: ${WORDS.repeat(6)}[more]({{ link }}/${index})`,
    })),
    {
      type: 'table',
      rows: 'items',
      columns: [
        { header: 'Item', value: '{{ row.name }}' },
        { header: 'Price', value: '{{ row.price }}' },
      ],
    },
    { type: 'button', label: 'Open', url: '{{ link }}' },
  ],
};

interface Measured {
  readonly mail: string;
  readonly htmlBytes: number;
  readonly textBytes: number;
  /** Processor time, garbage collection included: what other programs do at the same time does not count. */
  readonly cpuMicroseconds: number;
  readonly p50Microseconds: number;
  readonly p99Microseconds: number;
}

function measure(mail: string, renderFor: (recipient: number) => { readonly html: string; readonly text: string }): Measured {
  for (let index = 0; index < 2 * RECIPIENTS; index++) renderFor(index % RECIPIENTS);
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; ) {
    const before = performance.now();
    renderFor(times.length % RECIPIENTS);
    times.push((performance.now() - before) * 1000);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => round(sorted[Math.floor(sorted.length * share)] ?? 0);
  const { html, text } = renderFor(0);
  return {
    mail,
    htmlBytes: Buffer.byteLength(html),
    textBytes: Buffer.byteLength(text),
    cpuMicroseconds: round((user + system) / times.length),
    p50Microseconds: at(0.5),
    p99Microseconds: at(0.99),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function variablesFor(data: Record<string, unknown>, recipient: number): Record<string, unknown> {
  return mailVariables({
    data: { ...data, name: `Recipient ${recipient}` },
    brand,
    recipientEmail: `recipient-${recipient}@example.com`,
    unsubscribeUrl: `https://mail.example.com/api/v1/unsubscribe?c=${recipient}&t=v1.token`,
    now: new Date(),
  });
}

const compileBegan = performance.now();
const parsed = parseContent(letter);
if (parsed.issues) throw new Error(JSON.stringify(parsed.issues));
const compiled = await compileContent(parsed.content);
const compileMilliseconds = round(performance.now() - compileBegan);

const items = Array.from({ length: 5 }, (_, index) => ({ name: `Item ${index}`, price: `€${index}.00` }));
const letterFor = (recipient: number) =>
  renderMail(compiled, {
    subject: 'For {{ name }}',
    variables: variablesFor({ items, link: 'https://example.com/a' }, recipient),
    type: 'marketing',
  });

const registry = await loadTemplateRegistry();
const shipped = registry.list('bench').map((entry) => {
  const data = Object.fromEntries(entry.dataSchema.map(({ path, sample }) => [path, sample]));
  const { subject, type } = entry;
  return measure(entry.key, (recipient) => renderMail(entry.compiled, { subject, variables: variablesFor(data, recipient), type }));
});

console.log(
  JSON.stringify(
    { bench: 'render', node: process.version, compileMilliseconds, mails: [measure('5 kB letter', letterFor), ...shipped] },
    null,
    2,
  ),
);
