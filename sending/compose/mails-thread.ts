import { LRUCache } from 'lru-cache';
import { createVault } from '../../domain/projects/crypto.ts';
import type { ReturnPath } from '../../domain/sends/return-path.ts';
import type { CompiledContent } from '../../domain/templates/compiled-content.ts';
import { LiquidFault } from '../../domain/templates/liquid.ts';
import { RenderFailed } from '../../domain/templates/render.ts';
import { ByteSink } from '../../platform/mail/byte-sink.ts';
import type { OpenSignatures } from '../../platform/mail/dkim.ts';
import { InvalidMail } from '../../platform/mail/header.ts';
import { createMailWriter, type LoadedTemplate, loadTemplate } from './mail-writer.ts';
import type { Failure, PackedAnswer, PackedBatch, SharedTemplate } from './packed-batch.ts';
import { inThread, startedWith } from './thread-task.ts';

/** What a thread for mails is started with. */
export interface MailsThreadData {
  readonly secretKey: Uint8Array;
  readonly publicUrl: string;
  readonly returnPath?: ReturnPath | undefined;
}

const TEMPLATE_CACHE_BYTES = 48 * 1024 * 1024;
const FIRST_GUESS_BYTES = 32 * 1024;
/** A batch that takes longer goes on in its next turn. Sixty mails take a few milliseconds. */
const TURN_MS = 30;
/** Of running, for a mail on the average of a turn: a hundred times of what a mail takes. */
const SLOW_MAIL_MS = 5;

const { secretKey, ...options } = startedWith<MailsThreadData>();
const write = createMailWriter({ ...options, vault: createVault(Buffer.from(secretKey)) });
const templates = new LRUCache<string, LoadedTemplate>({ maxSize: TEMPLATE_CACHE_BYTES });
/** How large a mail was on the average of the last batch. */
let usualBytes = FIRST_GUESS_BYTES;

/** Composes the mails of a batch; one that cannot be made is told, and the others are not touched by it. */
export default inThread<PackedBatch, PackedAnswer>((batch, at) => {
  const count = batch.sendIds.length;
  const sink = new ByteSink(Math.ceil(usualBytes * count * 1.1) + 4096, batch.memory);
  const finished: Columns = {
    ends: [],
    subjects: [],
    messageIds: [],
    from: [],
    to: [],
    internationalized: [],
    missing: new Map(),
    copies: new Map(),
    gaps: new Map(),
    signatures: new Map(),
    firstLinks: new Map(),
    failures: new Map(),
  };
  const loaded: (LoadedTemplate | undefined)[] = [];
  const begun = performance.now();
  const before = process.threadCpuUsage();
  for (let index = 0; index < count; index++) {
    if (index > 0 && performance.now() - begun > TURN_MS) break;
    at(index);
    const start = sink.end;
    try {
      const { template } = batch.shared[batch.sharedOf[index]!]!;
      loaded[template] ??= load(batch.templates[template]!);
      add(finished, index, write(sink, batch, index, loaded[template]));
    } catch (error) {
      sink.end = start;
      add(finished, index, { subject: '', messageId: '', from: '', to: '', missing: [], internationalized: false });
      finished.failures.set(index, failureOf(error));
    }
    finished.ends.push(sink.end);
  }
  const done = finished.ends.length;
  const { user, system } = process.threadCpuUsage(before);
  const isSlow = (user + system) / 1000 > TURN_MS / 2 && (user + system) / 1000 / done > SLOW_MAIL_MS;
  usualBytes = sink.end / done;
  const { buffer } = sink.bytes;
  return { value: { ...finished, isSlow, bytes: buffer }, transfer: [buffer] };
});

type Columns = {
  ends: number[];
  subjects: string[];
  messageIds: string[];
  from: string[];
  to: string[];
  internationalized: number[];
  missing: Map<number, readonly string[]>;
  copies: Map<number, readonly string[]>;
  gaps: Map<number, readonly number[]>;
  signatures: Map<number, OpenSignatures>;
  firstLinks: Map<number, string>;
  failures: Map<number, Failure>;
};

function add(columns: Columns, index: number, mail: ReturnType<typeof write>): void {
  columns.subjects.push(mail.subject);
  columns.messageIds.push(mail.messageId);
  columns.from.push(mail.from);
  columns.to.push(mail.to);
  if (mail.internationalized) columns.internationalized.push(index);
  if (mail.copies) columns.copies.set(index, mail.copies);
  if (mail.gaps) columns.gaps.set(index, mail.gaps);
  if (mail.signatures) columns.signatures.set(index, mail.signatures);
  if (mail.firstLink !== undefined) columns.firstLinks.set(index, mail.firstLink);
  if (mail.missing.length > 0) columns.missing.set(index, mail.missing);
}

function load({ id, isOnce, json }: SharedTemplate): LoadedTemplate {
  const known = templates.get(id);
  if (known) return known;
  const loaded = loadTemplate(JSON.parse(Buffer.from(json).toString()) as CompiledContent);
  if (!isOnce) templates.set(id, loaded, { size: loaded.program.bytes });
  return loaded;
}

function failureOf(error: unknown): Failure {
  if (error instanceof RenderFailed || error instanceof InvalidMail || error instanceof LiquidFault) return { message: error.message };
  // A text longer than V8 can hold, or tags nested deeper than its stack.
  if (error instanceof RangeError) return { message: 'the email is too large' };
  return { message: 'the email could not be made', fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
