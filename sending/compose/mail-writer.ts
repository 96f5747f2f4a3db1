import { createSecretKey, type KeyObject } from 'node:crypto';
import { unsubscribeUrl } from '../../domain/contacts/unsubscribe-token.ts';
import type { Vault } from '../../domain/projects/crypto.ts';
import { type ReturnPath, returnPathOf } from '../../domain/sends/return-path.ts';
import { playsClicked } from '../../domain/sends/sandbox.ts';
import type { CompiledContent } from '../../domain/templates/compiled-content.ts';
import { createLinkCounter } from '../../domain/templates/counted-links.ts';
import { createContext, runLiquid, writeLiquid } from '../../domain/templates/liquid.ts';
import type { CountedLinks } from '../../domain/templates/mail-context.ts';
import { type MailProgram, parseProgram } from '../../domain/templates/program.ts';
import { beginMail, collapseBlankLines, missingPaths, type RenderInput, renderProgram } from '../../domain/templates/render.ts';
import { mailVariables } from '../../domain/templates/variables.ts';
import type { ByteSink } from '../../platform/mail/byte-sink.ts';
import { DkimSigner, type OpenSignatures } from '../../platform/mail/dkim.ts';
import type { DkimKey } from '../../platform/mail/dkim-key.ts';
import { base64Lines, isMostlyBeyondAscii } from '../../platform/mail/encoding.ts';
import { REQUEST_BODIES } from '../../platform/mail/formats.ts';
import type { GappedMail, WrittenMail } from '../../platform/mail/mail.ts';
import { messageHead, messageIdOf, partHead } from '../../platform/mail/mime.ts';
import { QuotedPrintableWriter } from '../../platform/mail/quoted-printable.ts';
import type { PackedBatch, SharedPart } from './packed-batch.ts';
import { HtmlPartEmitter, TextPartEmitter } from './part-emitters.ts';

/** A template as a thread keeps it. */
export interface LoadedTemplate {
  readonly program: MailProgram;
  /** Parts that base64 is shorter for: those whose fixed text is mostly beyond ASCII. */
  readonly inBase64: { readonly html: boolean; readonly text: boolean };
}

/** Throws LiquidFault. */
export function loadTemplate(compiled: CompiledContent): LoadedTemplate {
  const { html, text } = compiled;
  return { program: parseProgram(compiled), inBase64: { html: isMostlyBeyondAscii(html), text: isMostlyBeyondAscii(text) } };
}

/** What is known of a mail whose content was written. */
export interface FinishedMail {
  readonly subject: string;
  readonly missing: readonly string[];
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly copies?: readonly string[] | undefined;
  /** Where its files stand: `GappedMail`. */
  readonly gaps?: readonly number[] | undefined;
  /** Of a mail with gaps, whose body is not known yet. */
  readonly signatures?: OpenSignatures | undefined;
  readonly internationalized: boolean;
  /** The first link that is counted, of a mail that somebody clicks who plays it. */
  readonly firstLink?: string | undefined;
}

export interface MailWriterOptions {
  readonly vault: Vault;
  readonly publicUrl: string;
  /** On the envelope of a message, in place of its sender. */
  readonly returnPath?: ReturnPath | undefined;
}

/** Writes one mail of a batch into the sink. Throws RenderFailed, LiquidFault or InvalidMail; the sink then holds a part of the mail. */
export type MailWriter = (sink: ByteSink, batch: PackedBatch, index: number, template: LoadedTemplate) => FinishedMail;

export function createMailWriter({ vault, publicUrl, returnPath }: MailWriterOptions): MailWriter {
  const linksOf = createLinkCounter(vault);
  const signer = new DkimSigner();
  const linkKeys = new WeakMap<Uint8Array, KeyObject>();
  const keyOf = (secret: Uint8Array): KeyObject => {
    const key = linkKeys.get(secret) ?? createSecretKey(secret);
    linkKeys.set(secret, key);
    return key;
  };

  return (sink, batch, index, template) => {
    const shared = batch.shared[batch.sharedOf[index]!]!;
    const sendId = batch.sendIds[index]!;
    const to = batch.to[index]!;
    const contactId = batch.contactIds[index];
    const contactJson = batch.contacts[index];
    const details = batch.details?.get(index);
    const { format, from, replyTo, brand, event, linkSecret, type, dkimKeys, linksUrl = publicUrl, returnHost } = shared;
    const link =
      contactId === undefined || !linkSecret
        ? undefined
        : unsubscribeUrl(linksUrl, keyOf(linkSecret), { contactId, sendId, topic: details?.topic });
    const ownHeaders = link === undefined ? NO_HEADERS : marketingHeaders(link, details?.topic, shared);
    const date = new Date(shared.now);
    const links = shared.isTracked ? linksOf(sendId, linksUrl) : undefined;
    const noted = links && (details?.isClicked || playsClicked(to)) ? notingFirst(links) : undefined;
    const input: RenderInput = {
      subject: shared.subject,
      variables: mailVariables({
        data: batch.data[index],
        contact: contactJson ? JSON.parse(contactJson) : null,
        event,
        brand,
        recipientEmail: to,
        unsubscribeUrl: link,
        now: date,
      }),
      type,
      required: shared.required,
      links: noted ?? links,
    };
    const mail: MailFrame = {
      sendId,
      messageId: messageIdOf(sendId, from.email),
      from,
      to,
      ...(replyTo === undefined ? {} : { replyTo: { email: replyTo } }),
      ...details,
      headers: details?.headers ? { ...details.headers, ...ownHeaders } : ownHeaders,
      date,
    };
    const envelope = returnPath && { from: returnPathOf(vault, { ...returnPath, ...(returnHost && { host: returnHost }) }, sendId) };
    const finished =
      format === 'message'
        ? { ...writeMessage(sink, mail, template, input, dkimKeys?.length ? { signer, keys: dkimKeys } : undefined), ...envelope }
        : writeRequestBody(sink, REQUEST_BODIES[format], mail, template, input);
    return noted ? { ...finished, firstLink: noted.first() } : finished;
  };
}

/** The same links; `first` is that which was counted first. */
function notingFirst({ counted, pixel }: CountedLinks): CountedLinks & { first(): string | undefined } {
  let first: string | undefined;
  return {
    pixel,
    counted(url) {
      const target = counted(url);
      if (target !== undefined) first ??= url;
      return target;
    },
    first: () => first,
  };
}

/** A mail without its content. */
type MailFrame = Omit<WrittenMail, 'subject' | 'html' | 'text'>;

interface Signing {
  readonly signer: DkimSigner;
  readonly keys: readonly DkimKey[];
}

/** An RFC 5322 message, its parts as their templates are run; signed, unless there are gaps in it. */
function writeMessage(
  sink: ByteSink,
  mail: MailFrame,
  { program, inBase64 }: LoadedTemplate,
  input: RenderInput,
  signing: Signing | undefined,
): FinishedMail {
  const { subject, subjectProgram, variables } = beginMail(input);
  const start = sink.end;
  const head = messageHead({ ...mail, subject });
  const { levels } = head;
  const begin = (before: string, part: 'plain' | 'html', isBase64: boolean): void =>
    sink.write(before + partHead(part, isBase64 ? 'base64' : 'quoted-printable'), head.internationalized ? 'utf8' : 'latin1');
  const opened = signing?.signer.open(head.text, signing.keys, mail.date);
  begin((opened?.text ?? '') + head.text + levels.text, 'plain', inBase64.text);
  writeText(sink, program, variables, inBase64.text);
  begin(levels.html, 'html', inBase64.html);
  writeHtml(sink, program, variables, inBase64.html, input.links);
  const ends = levels.end.map((piece) => {
    sink.write(piece, 'latin1');
    return sink.end - start;
  });
  const gaps = ends.length === 1 ? undefined : ends.slice(0, -1);
  const signatures = opened?.signatures;
  if (signatures && !gaps) signing?.signer.close(sink.bytes.subarray(start, sink.end), signatures);
  const { messageId } = mail;
  const missing = missingPaths(program, subjectProgram, variables);
  const { from, to, copies, internationalized } = head;
  return { subject, missing, messageId, from, to, copies, internationalized, gaps, signatures: gaps && signatures };
}

/** The body of a request, rendered whole. */
function writeRequestBody(
  sink: ByteSink,
  bodyOf: (mail: WrittenMail) => GappedMail,
  mail: MailFrame,
  { program }: LoadedTemplate,
  input: RenderInput,
): FinishedMail {
  const { subject, html, text, missing } = renderProgram(program, input);
  const body = bodyOf({ ...mail, subject, html, text });
  sink.reserve(body.content.length);
  sink.bytes.set(body.content, sink.end);
  sink.end += body.content.length;
  return { ...body, subject, missing };
}

const NO_HEADERS = {};

function writeText(sink: ByteSink, { text }: MailProgram, variables: object, isBase64: boolean): void {
  if (isBase64) {
    sink.write(base64Lines(collapseBlankLines(runLiquid(text, variables, 'text')).trimStart()), 'latin1');
    return;
  }
  const context = createContext(variables, 'text');
  const emitter = new TextPartEmitter(context, new QuotedPrintableWriter(sink));
  writeLiquid(text, context, emitter);
  emitter.finish();
}

function writeHtml(sink: ByteSink, { html }: MailProgram, variables: object, isBase64: boolean, links: CountedLinks | undefined): void {
  if (isBase64) {
    sink.write(base64Lines(runLiquid(html, variables, 'html', links)), 'latin1');
    return;
  }
  const context = createContext(variables, 'html', links);
  const emitter = new HtmlPartEmitter(context, new QuotedPrintableWriter(sink));
  writeLiquid(html, context, emitter);
  emitter.finish();
}

/** RFC 8058 one-click unsubscribe and RFC 2919 List-Id, each topic being a list of its own: docs/contract/sends.md 24. */
function marketingHeaders(link: string, topic: string | undefined, { brand, from }: SharedPart): WrittenMail['headers'] {
  const list = topic === undefined ? brand.slug : `${topic}.${brand.slug}`;
  return {
    'List-Unsubscribe': `<${link}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'List-Id': `<${list}.${from.email.slice(from.email.lastIndexOf('@') + 1)}>`,
    Precedence: 'bulk',
  };
}
