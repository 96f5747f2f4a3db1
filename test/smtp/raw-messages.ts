import { mailNow } from '../support/mail.ts';
import type { TestProject } from '../support/project.ts';
import { type SmtpDoor, sendBySmtp, type Told } from '../support/smtp-process.ts';
import type { SinkMessage } from '../support/smtp-sink.ts';

/** Lines of a message; those that are no text go as they are. */
export type RawLines = readonly (string | Buffer)[];

/** Sends a message with these lines behind `From` and `To`, and answers with what the client was told and the mail that came of it. */
export async function sendRaw(
  { smtp, project }: { readonly smtp: SmtpDoor; readonly project: TestProject },
  ...lines: RawLines
): Promise<{ readonly told: Told; readonly mail: SinkMessage | undefined }> {
  const to = project.address();
  const from = `shop@${project.domain}`;
  const raw = Buffer.concat([`From: ${from}`, `To: ${to}`, ...lines].flatMap((line) => [Buffer.from(line as string), Buffer.from('\r\n')]));
  const told = await sendBySmtp(smtp.port, project.slug, project.key, { envelope: { from, to }, raw });
  const [mail] = await mailNow(to);
  return { told, mail };
}

/** The attachments of a mail as they are in it, each with its Content-Type: ours are all in base64. */
export function filesOf({ raw }: SinkMessage) {
  return [
    ...raw.matchAll(
      /^Content-Type: ([^\r\n]*);\r\n name="([^"]*)"\r\nContent-Transfer-Encoding: base64\r\n([\s\S]*?)\r\n\r\n([\s\S]*?)\r\n--/gm,
    ),
  ].map(([, type, name, head = '', base64 = '']) => ({
    ...{ type, name, isInline: head.includes('Content-ID: ') },
    bytes: Buffer.from(base64, 'base64').toString('latin1'),
  }));
}

export const MIXED = 'Content-Type: multipart/mixed; boundary=b';
export const attached = (name: string): string => `Content-Disposition: attachment; filename="${name}"`;
export const part = (type: string, head: readonly string[], content: string | Buffer) => [
  '--b',
  `Content-Type: ${type}`,
  ...head,
  '',
  content,
];
