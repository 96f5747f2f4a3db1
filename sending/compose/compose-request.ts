import type { SendType } from '../../domain/sends/send.ts';
import type { MailDetails } from '../../domain/sends/send-details.ts';
import type { CompiledContent } from '../../domain/templates/compiled-content.ts';
import type { Content } from '../../domain/templates/content.ts';
import type { BrandVariables } from '../../domain/templates/variables.ts';
import type { DkimKey } from '../../platform/mail/dkim-key.ts';
import type { WireFormat } from '../../platform/mail/formats.ts';
import type { GappedMail, Mailbox } from '../../platform/mail/mail.ts';

/** What a mail is rendered from. A version of a template never changes, so what was once compiled stays right. */
export interface ComposeTemplate {
  /** The same for the same content only: it is what caches go by. */
  readonly id: string;
  /** Absent where it is compiled in this process, and so in the form of today. */
  readonly content?: Content;
  /** Compiled when it was published; compiled again where it was in a form that is not understood any more. */
  readonly compiled: CompiledContent;
  /** Of one mail alone: no cache keeps it, so that many of its kind push out nothing that is used again. */
  readonly isOnce?: boolean;
  /** Mails of one line wait for each other and for no others; the id is one when omitted. */
  readonly line?: string;
}

/** All that one mail is made of. What several mails of a batch share should be the very same object: it then crosses to the thread once. */
export interface ComposeRequest {
  readonly sendId: string;
  /** Of the provider that it is for. */
  readonly format: WireFormat;
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
  /** Whether opens and clicks are counted: docs/contract/unsubscribe.md 11. */
  readonly isTracked: boolean;
  /** Paths that must have a value, from `requiredPaths`. */
  readonly required: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** What its caller said of this mail alone. */
  readonly details?: MailDetails | undefined;
  /** What its message is signed with; absent or empty: it is not signed. */
  readonly dkimKeys?: readonly DkimKey[] | undefined;
  /** What its links lead below, without a slash at the end; undefined: the public URL of the installation. */
  readonly linksUrl?: string | undefined;
  /** The host that it comes back to; undefined: that of the installation. */
  readonly returnHost?: string | undefined;
}

/** A mail ready for the wire, or why it cannot be made: words for the caller, without a value of the data. */
export type Composed =
  | {
      readonly ok: true;
      readonly subject: string;
      readonly missing: readonly string[];
      readonly mail: GappedMail;
      /** The first link that is counted, of a mail that somebody clicks who plays it. */
      readonly firstLink?: string | undefined;
    }
  | { readonly ok: false; readonly message: string };
