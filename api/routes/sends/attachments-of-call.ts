import { type Attachment, missingContentIds } from '../../../domain/sends/attachments.ts';
import { MOST_ATTACHMENTS_MS } from '../../../domain/sends/submission-times.ts';
import { type GivenAttachment, keepAttachments } from '../../../usecases/sends/keep-attachments.ts';
import { REQUEST_SECONDS } from '../../middleware/time-limit.ts';
import type { KeyContext } from '../../route.ts';
import type { Brought } from './brought-content.ts';

/** Of a call with files, which are kept before the mail is submitted, and make that longer. */
export const SECONDS_WITH_ATTACHMENTS = REQUEST_SECONDS + Math.ceil(MOST_ATTACHMENTS_MS / 1000);

/** The body of a call with its files. */
interface BodyWithFiles {
  readonly attachments?: readonly GivenAttachment[] | null | undefined;
  readonly html?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly sendAt?: Date | null | undefined;
}

/** What a call asks for, with its files as they are kept. */
export type WithKept<Body> = Omit<Body, 'idempotencyKey' | 'attachments'> & { readonly attachments?: readonly Attachment[] };

type KeepingContext = Pick<KeyContext, 'em' | 'files' | 'project' | 'now' | 'filesKeptMs'>;

/** Keeps the files of a call for as long as its mail needs them. Throws invalid_request for what cannot be a file of it. */
export async function attachmentsOf(context: KeepingContext, body: BodyWithFiles): Promise<readonly Attachment[]> {
  const { attachments, html, text, sendAt } = body;
  if (!attachments?.length) return [];
  const until = new Date((sendAt ?? context.now()).getTime() + context.filesKeptMs);
  return keepAttachments(context, attachments, { until, ownOctets: Buffer.byteLength(html ?? '') + Buffer.byteLength(text ?? '') });
}

/** What the content of a call shows as `cid:…` and no attachment of it is. */
export function lackingIds(brought: Brought | undefined, attachments: readonly Attachment[]): readonly string[] {
  const { html } = brought?.content.compiled ?? { html: '' };
  return html.includes('cid:') ? missingContentIds(html, attachments) : [];
}
