import type { SendType } from '../../domain/sends/send.ts';
import type { MailDetails } from '../../domain/sends/send-details.ts';
import type { BrandVariables } from '../../domain/templates/variables.ts';
import type { OpenSignatures } from '../../platform/mail/dkim.ts';
import type { DkimKey } from '../../platform/mail/dkim-key.ts';
import type { WireFormat } from '../../platform/mail/formats.ts';
import type { Mailbox } from '../../platform/mail/mail.ts';
import type { Composed, ComposeRequest } from './compose-request.ts';

/** What consecutive mails of a batch share crosses to the thread once. */
export interface SharedPart {
  /** Index into `templates`. */
  readonly template: number;
  readonly format: WireFormat;
  readonly type: SendType;
  readonly subject: string;
  readonly from: Mailbox;
  readonly replyTo: string | undefined;
  readonly brand: BrandVariables;
  readonly event: Readonly<Record<string, unknown>> | undefined;
  readonly linkSecret: Uint8Array | undefined;
  readonly isTracked: boolean;
  readonly required: readonly string[];
  readonly now: number;
  readonly dkimKeys: readonly DkimKey[] | undefined;
  readonly linksUrl: string | undefined;
  readonly returnHost: string | undefined;
}

/** Compiled content as JSON, in memory that every thread reads. */
export interface SharedTemplate {
  readonly id: string;
  /** No thread keeps it. */
  readonly isOnce?: boolean;
  readonly json: SharedArrayBuffer;
}

/** Some mails on their way to a thread, by columns: names of fields do not cross for each of them. */
export interface PackedBatch {
  readonly templates: readonly SharedTemplate[];
  readonly shared: readonly SharedPart[];
  /** For each mail the index of its shared part. */
  readonly sharedOf: readonly number[];
  readonly sendIds: readonly string[];
  readonly to: readonly string[];
  readonly contactIds: readonly (string | undefined)[];
  readonly contacts: readonly (string | null)[];
  readonly data: readonly Readonly<Record<string, unknown>>[];
  /** By index, of the few that have any; undefined: none of the batch has. */
  readonly details: ReadonlyMap<number, MailDetails> | undefined;
  /** To write into: of a batch that is not needed any more. */
  readonly memory: ArrayBuffer | undefined;
}

/** Finished mails on their way back, by columns: the first of a batch, at least one, as far as its thread came in the time of one turn. */
export interface PackedAnswer {
  /** All contents, one after the other. */
  readonly bytes: ArrayBuffer;
  /** Where each mail's content ends; where that of the one before ends, for a mail that could not be made. */
  readonly ends: readonly number[];
  readonly subjects: readonly string[];
  readonly messageIds: readonly string[];
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** The few that are not as most are, by their index. */
  readonly internationalized: readonly number[];
  readonly missing: ReadonlyMap<number, readonly string[]>;
  readonly copies: ReadonlyMap<number, readonly string[]>;
  readonly gaps: ReadonlyMap<number, readonly number[]>;
  readonly signatures: ReadonlyMap<number, OpenSignatures>;
  readonly firstLinks: ReadonlyMap<number, string>;
  readonly failures: ReadonlyMap<number, Failure>;
  /** The mails took far more time than mails take. */
  readonly isSlow: boolean;
}

export interface Failure {
  readonly message: string;
  /** A fault of ours, for the log. */
  readonly fault?: string;
}

/** `templateOf`: the shared form of each template that the requests name. */
export function packBatch(
  requests: readonly ComposeRequest[],
  templateOf: (request: ComposeRequest) => SharedTemplate,
  memory?: ArrayBuffer,
): PackedBatch {
  const templates: SharedTemplate[] = [];
  const shared: SharedPart[] = [];
  const sharedOf: number[] = [];
  let last: ComposeRequest | undefined;
  for (const request of requests) {
    if (!last || !isShared(request, last)) {
      const template = templateOf(request);
      let index = templates.findIndex(({ id }) => id === template.id);
      if (index < 0) index = templates.push(template) - 1;
      shared.push(sharedPart(request, index));
    }
    sharedOf.push(shared.length - 1);
    last = request;
  }
  return {
    templates,
    shared,
    sharedOf,
    sendIds: requests.map(({ sendId }) => sendId),
    to: requests.map(({ to }) => to),
    contactIds: requests.map(({ unsubscribe }) => unsubscribe?.contactId),
    contacts: requests.map(({ contactJson }) => contactJson),
    data: requests.map(({ data }) => data),
    details: detailsOf(requests),
    memory,
  };
}

function detailsOf(requests: readonly ComposeRequest[]): PackedBatch['details'] {
  let found: Map<number, MailDetails> | undefined;
  for (const [index, { details }] of requests.entries()) {
    if (!details) continue;
    found ??= new Map();
    found.set(index, details);
  }
  return found;
}

function isShared(request: ComposeRequest, last: ComposeRequest): boolean {
  return (
    request.template === last.template &&
    request.format === last.format &&
    request.type === last.type &&
    request.subject === last.subject &&
    request.from === last.from &&
    request.replyTo === last.replyTo &&
    request.brand === last.brand &&
    request.event === last.event &&
    request.unsubscribe?.linkSecret === last.unsubscribe?.linkSecret &&
    request.isTracked === last.isTracked &&
    request.required === last.required &&
    request.now === last.now &&
    request.dkimKeys === last.dkimKeys &&
    request.linksUrl === last.linksUrl &&
    request.returnHost === last.returnHost
  );
}

function sharedPart(request: ComposeRequest, template: number): SharedPart {
  const { format, type, subject, from, replyTo, brand, event, isTracked, required, now, dkimKeys, linksUrl, returnHost } = request;
  // A copy: the bytes of a Buffer are most often a part of larger memory, all of which would cross.
  const linkSecret = request.unsubscribe && new Uint8Array(request.unsubscribe.linkSecret);
  const shared = { format, type, subject, from, replyTo, brand, event, isTracked, required, now, dkimKeys, linksUrl, returnHost };
  return { template, linkSecret, ...shared };
}

/** The answers for the first mails of a batch, in their order. */
export function unpackAnswer(answer: PackedAnswer, requests: readonly ComposeRequest[]): Composed[] {
  const { bytes, ends, subjects, messageIds, from, to, missing, copies, gaps, signatures, firstLinks, failures } = answer;
  const internationalized = new Set(answer.internationalized);
  return ends.map((end, index) => {
    const { sendId } = requests[index]!;
    const failure = failures.get(index);
    if (failure) return { ok: false, message: failure.message };
    const others = copies.get(index);
    const fileGaps = gaps.get(index);
    const openSignatures = signatures.get(index);
    const start = index === 0 ? 0 : ends[index - 1]!;
    return {
      ok: true,
      subject: subjects[index]!,
      missing: missing.get(index) ?? [],
      mail: {
        sendId,
        messageId: messageIds[index]!,
        from: from[index]!,
        to: to[index]!,
        ...(others && { copies: others }),
        internationalized: internationalized.has(index),
        content: new Uint8Array(bytes, start, end - start),
        ...(fileGaps && { gaps: fileGaps }),
        ...(openSignatures && { signatures: openSignatures }),
      },
      firstLink: firstLinks.get(index),
    };
  });
}
