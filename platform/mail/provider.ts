import type { AllowanceHolder } from '../../domain/sends/allowance.ts';
import type { RefusedCopy } from '../../domain/sends/send-details.ts';
import { attachmentsMs } from '../../domain/sends/submission-times.ts';
import type { AwsCredentials } from '../sigv4.ts';
import type { WireFormat } from './formats.ts';
import type { OutgoingMail } from './mail.ts';
import { mailLength, type UnreadPart } from './mail-octets.ts';

/** What became of one submission. Messages are public: no credentials, no stack. */
export type ProviderAnswer =
  /** providerId: undefined when the provider gave none. */
  | {
      readonly outcome: 'accepted';
      readonly providerId: string | undefined;
      /** Those that the server would not have while it took the mail. */
      readonly refusedCopies?: readonly RefusedCopy[];
    }
  /** Surely not accepted, and a retry is useless. badAddress: the recipient does not exist, which is a hard bounce. */
  | {
      readonly outcome: 'rejected';
      readonly message: string;
      readonly badAddress: boolean;
      /** It was not the provider: an attachment is not kept any more, so nothing was submitted. */
      readonly isAttachmentGone?: boolean;
    }
  /** Surely not accepted, and it may pass: the provider is busy, away or badly configured. */
  | {
      readonly outcome: 'later';
      readonly message: string;
      readonly retryAfterSeconds?: number;
      /** Only this recipient is not taken for now: greylisting, a full mailbox. It says nothing of the provider. */
      readonly isDeferredRecipient?: boolean;
      /** It was stopped before it was given to the provider, which is not to blame. */
      readonly wasStopped?: boolean;
      /** It was not given to the provider: its rate, an allowance of the day, or the pace of the mail's receiver is used. */
      readonly heldBy?: 'rate' | 'allowance' | 'receiver';
      /** Whose allowance of the day it is. */
      readonly allowance?: AllowanceHolder;
      /** An attachment could not be read, for which the provider is not to blame. */
      readonly isUnread?: boolean;
    }
  /** Submitted without an answer: it may have been accepted. */
  | {
      readonly outcome: 'unknown';
      readonly message: string;
      /** Asked again under the same key, a provider that deduplicates tells what became of it. */
      readonly tellsLater?: boolean;
    };

export interface MailProvider {
  readonly name: string;
  /** Where it is, with the port where the URL has one. Public: no credentials. */
  readonly host: string;
  /** Whether a second send with one key is deduplicated by the provider. */
  readonly idempotent: boolean;
  /** The form in which it takes mails. */
  readonly format: WireFormat;
  /** Messages come to it with our DKIM signatures. Absent: whoever it stands for signs them. */
  readonly takesSigned?: boolean;
  /**
   * Never throws for provider trouble; answers within about 10 seconds, for a mail with attachments within `tryMsOf`. `isStopped` is asked when a connection is free for the mail, and over
   * SMTP again before its content is written: one that is not wanted any more by then is kept, and answered as `later`. `submitting` is called
   * just before what makes the mail the provider's is written, the final dot or the request; when it says false, that is not written.
   */
  send(mail: OutgoingMail, key: string, isStopped?: () => boolean, submitting?: () => boolean): Promise<ProviderAnswer>;
  /** Lets what is under way end, then closes every connection. */
  close(): Promise<void>;
}

export interface MailProviderOptions {
  /** Connections kept at most, for the providers that keep any. */
  readonly maxConnections: number;
  /** For one submission, waiting for a free connection included. Default 10. */
  readonly timeoutSeconds?: number;
  /** For ses:// without credentials of its own. */
  readonly awsCredentials?: AwsCredentials | undefined;
}

/** From the call to the answer. */
export function timeoutMsOf({ timeoutSeconds = 10 }: MailProviderOptions): number {
  return timeoutSeconds * 1000;
}

/** The same for this mail: one with attachments takes longer, the larger they are. */
export function tryMsOf(mail: Pick<OutgoingMail, 'content' | 'parts'>, timeoutMs: number): number {
  return mail.parts ? timeoutMs + attachmentsMs(mailLength(mail, 'lines')) : timeoutMs;
}

/** What became of a mail whose end was not written because of one of its attachments. */
export function unreadAnswer({ isGone, message }: Pick<UnreadPart, 'isGone' | 'message'>): ProviderAnswer {
  return isGone
    ? { outcome: 'rejected', message, badAddress: false, isAttachmentGone: true }
    : { outcome: 'later', message, isUnread: true };
}
