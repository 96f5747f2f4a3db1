import type { SendType } from '../../domain/send.ts';
import type { CompiledContent } from '../../domain/template/compile.ts';
import type { Content } from '../../domain/template/content.ts';
import type { BrandVariables } from '../../domain/template/variables.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mailbox, OutgoingMail, WireFormat } from '../../platform/mail/provider.ts';
import type { Authoring } from './authoring.ts';
import type { MailsThreadData } from './mails-thread.ts';
import { type PackedAnswer, type PackedPage, packPage, unpackAnswer } from './page.ts';
import { createTemplateStore } from './template-store.ts';
import { createThreadPool } from './thread-pool.ts';

/** What a mail is rendered from. A version of a template never changes, so what was once compiled stays right. */
export interface ComposeTemplate {
  /** The same for the same content only: it is what caches go by. */
  readonly id: string;
  readonly content: Content;
  /** Compiled when it was published; compiled again where it was in a form that is not understood any more. */
  readonly compiled: CompiledContent;
}

/** All that one mail is made of. What several mails of a page share should be the very same object: it then crosses to the thread once. */
export interface ComposeRequest {
  readonly sendId: string;
  readonly template: ComposeTemplate;
  readonly type: SendType;
  /** Liquid. */
  readonly subject: string;
  readonly from: Mailbox;
  readonly to: string;
  readonly replyTo: string | undefined;
  readonly brand: BrandVariables;
  /** The contact's row as the database writes it in JSON; null for a mail to nobody known. */
  readonly contactJson: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>> | undefined;
  /** Whose unsubscribe link a marketing mail has, and the project's secret that signs it; undefined: the mail has none. */
  readonly unsubscribe: { readonly contactId: string; readonly linkSecret: Uint8Array } | undefined;
  /** Whether opens and clicks are counted: decisions.md 12.3. */
  readonly isTracked: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A mail ready for the wire, or why it cannot be made: words for the caller, without a value of the data. */
export type Composed =
  | { readonly ok: true; readonly subject: string; readonly missing: readonly string[]; readonly mail: OutgoingMail }
  | { readonly ok: false; readonly message: string };

/** Renders mails and writes their messages in threads that can be ended; one mail's fault is that mail's alone. */
export interface Composer {
  /** One answer for each request, in their order. */
  compose(page: readonly ComposeRequest[]): Promise<readonly Composed[]>;
  close(): Promise<void>;
}

export interface ComposerOptions {
  readonly format: WireFormat;
  /** The 32 bytes of SECRET_KEY: it signs counted links. */
  readonly secretKey: Uint8Array;
  readonly publicUrl: string;
  /** Compiles again what was stored in a form of before. */
  readonly authoring: Pick<Authoring, 'compile'>;
  readonly log: Pick<Logger, 'error'>;
  /** Default 2. */
  readonly threads?: number;
  /** Of running, for one mail. Default 250. */
  readonly mailMs?: number;
}

/** So many mails cross to a thread at once: enough to make the way there cheap, few enough that a single mail never waits for long. */
const MAILS_AT_ONCE = 64;
const MAIL_MS = 250;
const HEAP_MB = 256;
const SINGLE = '';

export function createComposer(options: ComposerOptions): Composer {
  const { format, secretKey, publicUrl, threads = 2, mailMs = MAIL_MS, log } = options;
  const pool = createThreadPool<PackedPage, PackedAnswer>({
    file: new URL('./mails-thread.ts', import.meta.url),
    data: { format, secretKey: new Uint8Array(secretKey), publicUrl } satisfies MailsThreadData,
    minThreads: threads,
    maxThreads: threads,
    itemMs: mailMs,
    heapMb: HEAP_MB,
  });
  const templates = createTemplateStore(options.authoring);

  /** Composes some mails of a page; a mail at which its thread was ended is given up, and the others go to another thread. */
  const composeSome = async (requests: readonly ComposeRequest[], lane: string): Promise<Composed[]> => {
    const ended = new Map<ComposeRequest, Composed>();
    for (;;) {
      const left = ended.size === 0 ? requests : requests.filter((request) => !ended.has(request));
      if (left.length === 0) return requests.map((request) => ended.get(request)!);
      const outcome = await pool.run(
        packPage(left, ({ template }) => templates.get(template)),
        lane,
      );
      if ('answer' in outcome) {
        for (const { fault } of outcome.answer.failures.values()) if (fault) log.error('compose.fault', { fault });
        const composed = unpackAnswer(outcome.answer, left);
        if (ended.size === 0) return composed;
        const byRequest = new Map(left.map((request, index) => [request, composed[index]!]));
        return requests.map((request) => ended.get(request) ?? byRequest.get(request)!);
      }
      ended.set(left[outcome.item]!, { ok: false, message: `${outcome.ended} to render` });
    }
  };

  return {
    async compose(page) {
      const faults = await templates.prepare(page.map(({ template }) => template));
      const good = faults.size === 0 ? page : page.filter(({ template }) => !faults.has(template.id));
      // Single mails, for which somebody waits, take turns with pages; so do pages of different templates.
      const lane = page.length === 1 ? SINGLE : (page[0]?.template.id ?? SINGLE);
      const parts: Promise<Composed[]>[] = [];
      for (let start = 0; start < good.length; start += MAILS_AT_ONCE)
        parts.push(composeSome(good.slice(start, start + MAILS_AT_ONCE), lane));
      const composed = (await Promise.all(parts)).flat();
      if (faults.size === 0) return composed;
      return page.map(({ template }) => {
        const fault = faults.get(template.id);
        return fault === undefined ? composed.shift()! : { ok: false, message: fault };
      });
    },
    close: () => pool.close(),
  };
}
