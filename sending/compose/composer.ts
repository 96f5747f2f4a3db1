import type { SendType } from '../../domain/send.ts';
import type { CompiledContent } from '../../domain/template/compile.ts';
import type { Content } from '../../domain/template/content.ts';
import type { BrandVariables } from '../../domain/template/variables.ts';
import type { Mailbox, OutgoingMail } from '../../platform/mail/provider.ts';

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
