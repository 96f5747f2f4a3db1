import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer as stdinBytes } from 'node:stream/consumers';
import type { Command, Given } from '../command.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { isObject, type Json, type JsonObject } from '../files/canonical.ts';
import { textOfBytes, whyNot } from '../files/read-text.ts';
import { parseYamlObject } from '../files/yaml-text.ts';
import { counted } from '../output.ts';

/** Of an email without a template. */
const TYPES = ['transactional', 'marketing'] as const;

/** The text of a file, or of stdin for `-`. */
export async function textOf(given: Pick<Given, 'cwd'>, path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = path === '-' ? await stdinBytes(process.stdin) : await readFile(resolve(given.cwd, path));
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${whyNot(error as Error)}`);
  }
  return textOfBytes(bytes, path === '-' ? 'stdin' : path).replace(/^\uFEFF/, '');
}

/** `name=value` as data: a value that is JSON counts as that, any other as the text that it is. Names may be dotted. */
export function dataOf(pairs: readonly string[], option: string): JsonObject {
  const data: Record<string, Json> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageFailure(`--${option} ${pair}: write name=value`);
    let inside: Record<string, Json> = data;
    const names = pair.slice(0, at).split('.');
    const last = names.pop() ?? '';
    for (const name of names) {
      const there = Object.hasOwn(inside, name) ? inside[name] : undefined;
      const next: Record<string, Json> = isObject(there) ? { ...there } : {};
      Object.defineProperty(inside, name, { value: next, enumerable: true, writable: true, configurable: true });
      inside = next;
    }
    Object.defineProperty(inside, last, { value: valueOfText(pair.slice(at + 1)), enumerable: true, writable: true, configurable: true });
  }
  return data;
}

function valueOfText(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function run(given: Given): Promise<undefined> {
  const { text, texts, choice, out } = given;
  const type = choice('type', TYPES);
  const to = text('to');
  const template = text('template');
  if (!to) throw new UsageFailure('say whom it goes to: --to ada@example.com');
  const content = { html: text('html-file'), text: text('text-file') };
  const isOwn = content.html !== undefined || content.text !== undefined;
  if (!template === !isOwn) throw new UsageFailure('say what it says: --template <key>, or --html-file or --text-file with --subject');
  if (isOwn && text('subject') === undefined) throw new UsageFailure('say what stands above it: --subject <text>');
  const at = text('at');
  // By this machine's clock, and so no reason to refuse it; one that was scheduled before may be asked for again.
  const isPast = at !== undefined && Date.parse(at) < Date.now();
  const file = text('data-file');
  const data = { ...(file === undefined ? {} : parseYamlObject(await textOf(given, file), file)), ...dataOf(texts('data'), 'data') };
  const idempotencyKey = text('idempotency-key') ?? `everpost-cli-${randomUUID()}`;
  const answer = await given.api.call('send', {
    idempotencyKey,
    body: {
      to,
      ...(template === undefined ? { type: type ?? 'transactional' } : { template }),
      ...(content.html === undefined ? {} : { html: await textOf(given, content.html) }),
      ...(content.text === undefined ? {} : { text: await textOf(given, content.text) }),
      ...optional({ subject: text('subject'), brand: text('brand'), locale: text('locale'), sendAt: at }),
      ...(Object.keys(data).length > 0 ? { data } : {}),
    },
  });
  out.data(answer, () => {
    out.line(at === undefined ? `sent ${answer.id}` : `to be sent ${isPast ? 'at once' : `at ${at}`}: ${answer.id}`);
    const missing = ('missing' in answer && answer.missing) || [];
    if (missing.length > 0) out.note(`${counted(missing.length, 'variable')} rendered empty: ${missing.join(', ')}`);
  });
  if (isPast) out.note(`--at ${at} is past, so it waits for nothing`);
  return undefined;
}

function optional(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

export const send: Command = {
  name: 'send',
  summary: 'Send one email',
  options: {
    to: { type: 'string', value: '<address>', description: 'whom it goes to' },
    template: { type: 'string', value: '<key>', description: 'what it says' },
    data: { type: 'string', value: '<name>=<value>', multiple: true, description: 'a variable; JSON, or a text' },
    'data-file': { type: 'string', value: '<file>', description: 'all of them, as YAML or JSON; - is stdin' },
    subject: { type: 'string', value: '<text>', description: "in place of the template's" },
    'html-file': { type: 'string', value: '<file>', description: 'a page in place of a template' },
    'text-file': { type: 'string', value: '<file>', description: 'a text in place of a template, or beside the page' },
    type: { type: 'string', value: '<type>', description: 'of an email without a template: transactional (as omitted) or marketing' },
    brand: { type: 'string', value: '<slug>', description: 'who sends it' },
    locale: { type: 'string', value: '<tag>', description: 'its language' },
    at: { type: 'string', value: '<time>', description: 'later, like 2026-06-12T09:00:00Z' },
    'idempotency-key': { type: 'string', value: '<key>', description: 'the same key sends once; a new one for each run when omitted' },
  },
  fields: { html: 'html-file', text: 'text-file', sendAt: 'at' },
  run,
};
