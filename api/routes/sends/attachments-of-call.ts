import type { Issue } from '../../../domain/errors.ts';
import { type Attachment, missingContentIds, unshownContentIds } from '../../../domain/sends/attachments.ts';
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

/** What does not fit together in the content of a call and its files: what it shows and no attachment is, and the other way round. */
export function fileWarnings(brought: Brought | undefined, attachments: readonly Attachment[]): readonly Issue[] {
  if (!brought) return [];
  // A text shows nothing, whatever it says.
  const html = brought.writtenAt === 'text' ? '' : brought.content.compiled.html;
  const lacking = html.includes('cid:') ? missingContentIds(html, attachments) : [];
  return [
    ...lacking.map((id) => ({ path: brought.writtenAt, message: `cid:${id} is the contentId of no attachment` })),
    ...unshownContentIds(html, attachments).map((place) => {
      const message = `the page shows no cid:${attachments[place]?.contentId}, so its reader may not see this file; without contentId it is an attachment`;
      return { path: `attachments[${place}].contentId`, message };
    }),
  ];
}
