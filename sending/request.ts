import type { SendIdentity } from '../db/queries/sends/send-intents.ts';
import type { Origin } from '../domain/contacts/contact.ts';
import type { Opening } from '../domain/send-window.ts';
import type { SendType } from '../domain/sends/send.ts';
import type { SendDetails } from '../domain/sends/send-details.ts';
import type { FrequencyCap } from '../domain/sequences/frequency-cap.ts';
import type { Languages } from '../domain/templates/languages.ts';
import type { RegistryEntry } from '../domain/templates/registry-entry.ts';
import type { Mailbox } from '../platform/mail/mail.ts';
import type { ComposeTemplate } from './compose/compose-request.ts';

/** What a campaign says from its beginning to its end. */
export interface PinnedVersions {
  /** The published version; null: the registry's own content. */
  readonly version: number | null;
  readonly languages: Languages;
  /** Liquid; of the default. */
  readonly subject: string;
}

/** An opening of a send window, as it is for one recipient. */
export interface MailWindow extends Opening {
  /** Whether transactional mail waits for it, too. */
  readonly transactional: boolean;
  /** For operators. */
  readonly words: string;
}

/** One mail to one recipient, whoever asks for it. */
export interface MailRequest {
  readonly projectId: string;
  /** The registry's key, or NO_TEMPLATE beside the content that the call brought. */
  readonly template: string;
  /** undefined: the registry has none for this project, or none is asked for. */
  readonly entry: RegistryEntry | undefined;
  readonly recipient: { readonly contactId: string } | { readonly email: string };
  /** undefined: the template's own. */
  readonly type: SendType | undefined;
  readonly brand: string | undefined;
  /** In which language the mail is to be, where its template has it; the contact's when omitted. */
  readonly locale?: string | undefined;
  /** Overrides the project's and the template's. Liquid. */
  readonly subject: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>> | undefined;
  readonly from: Mailbox | undefined;
  readonly sourceId: string | null;
  readonly identity: SendIdentity;
  /** What the answer says beside the outcome, by what the mail shows and the data lacks; kept with the row of a call with a key. */
  readonly notes?: ((missing: readonly string[]) => object | undefined) | undefined;
  /** Whose request it is: for the consent record of a contact that this send creates, and for the log. */
  readonly caller?: (Pick<Origin, 'ip' | 'userAgent'> & { readonly requestId?: string }) | undefined;
  /** Renders this instead of the published content, whether or not the template is enabled. */
  readonly content?: ComposeTemplate | undefined;
  /** Which language of its template `content` is; undefined: the default, or none of a template. */
  readonly contentLocale?: string | undefined;
  /** Renders these versions, whatever is published now, whether or not the template is enabled. */
  readonly pinned?: PinnedVersions | undefined;
  /** Record, as JSON, of whom the mail shows in `contact`; the recipient's own when omitted, if there is one. */
  readonly shownContact?: string | undefined;
  /** Once it is aborted nothing is opened or submitted for this request; its reason, a Refusal, is the answer. */
  readonly deadline?: AbortSignal | undefined;
  /** Of a mail whose id was made before it was asked for; a new one is made when omitted. */
  readonly sendId?: string | undefined;
  /** Since when the provider may know it under that id. */
  readonly maybeSubmittedAt?: Date | undefined;
  /** The arm of a campaign with variants. */
  readonly variant?: string | undefined;
  /** It must not leave, whatever its project and its address. */
  readonly isSandboxed?: boolean | undefined;
  /** Nobody counts who opens it and follows its links, whatever the brand wants. */
  readonly isUntracked?: boolean | undefined;
  /** Counted for marketing mail alone. */
  readonly cap?: FrequencyCap | undefined;
  /** Of the window that it waits for: the opening that counts for its recipient. Absent: it waits for none. */
  readonly window?: MailWindow | undefined;
  /** What the caller said of this mail beside all that. */
  readonly details?: SendDetails | undefined;
}
