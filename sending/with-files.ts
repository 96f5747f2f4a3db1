import { type Attachment, inMailOrder } from '../domain/sends/attachments.ts';
import type { GappedMail, OutgoingMail } from '../platform/mail/mail.ts';

/** Octets of a project's files by their hash; undefined: they are not kept any more. */
export type OpenFile = (projectId: string, sha256: string) => Promise<AsyncIterable<Uint8Array> | undefined>;

/** The mail with its files in their places, each of which is read when the mail is written to the provider. */
export function withFiles(
  mail: GappedMail,
  { projectId, attachments = [] }: { readonly projectId: string; readonly attachments: readonly Attachment[] | undefined },
  openFile: OpenFile,
): OutgoingMail {
  if (!mail.gaps) return mail;
  const { gaps, ...rest } = mail;
  const files = inMailOrder(attachments);
  const parts = gaps.map((at, index) => {
    const { filename, size, sha256 } = files[index] as Attachment;
    return { at, filename, size, sha256, open: () => openFile(projectId, sha256) };
  });
  return { ...rest, parts };
}
