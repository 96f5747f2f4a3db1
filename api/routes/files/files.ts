import * as z from 'zod';
import type { Position } from '../../../db/cursor-page.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { deleteFile, fileById, insertFile, listFiles, type UploadedFile } from '../../../db/queries/files/files.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import { MAX_FILE_MB, MAX_FILENAME_LENGTH, STORING_MS } from '../../../domain/files/file.ts';
import { UPLOADS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import { downloadOf } from '../../downloads.ts';
import * as examples from '../../examples/file-examples.ts';
import { underKey } from '../../idempotency.ts';
import { Answer, defineRoute, type KeyContext, type Route } from '../../route.ts';
import { CreatedAt, Cursor, Limit, NextCursor, PathId, Timestamp } from '../../schemas.ts';
import { type SpooledUpload, UPLOAD_SECONDS, withUpload } from '../../spooled-upload.ts';

const FileRecord = z
  .object({
    id: z.uuid().meta({ description: 'What an email names it by' }),
    filename: z.string().meta({ description: 'As it was uploaded' }),
    content_type: z.string().meta({ description: 'As the part said, in lower case and without parameters', examples: ['application/pdf'] }),
    size: z.int().meta({ description: 'Bytes' }),
    sha256: z.string().meta({ description: 'Of its bytes, 64 hex digits' }),
    created_at: CreatedAt,
    expires_at: Timestamp.meta({
      description: `It is gone then, unless an email uses its bytes before: ${shownPeriod(UPLOADS_KEPT_MS)} after the last`,
    }),
  })
  .meta({ id: 'File', description: 'An uploaded file, for emails' });

const FilePath = z.object({ id: PathId.meta({ description: 'Of the file' }) });

const upload = defineRoute({
  method: 'post',
  path: '/files',
  scope: 'send',
  summary: 'Upload a file for emails',
  description:
    `One part named \`file\`, with a filename of at most ${MAX_FILENAME_LENGTH} characters; at most ${MAX_FILE_MB} MB. The same bytes are kept once, ` +
    `however often they are uploaded. A file lives until it is deleted, or ${shownPeriod(UPLOADS_KEPT_MS)} after its last use. ` +
    `The upload may take ${UPLOAD_SECONDS} seconds.`,
  form: z
    .object({ file: z.string().meta({ format: 'binary', description: 'The bytes, with a filename and their Content-Type' }) })
    .meta({ id: 'FileUpload', description: 'A form with one file' }),
  seconds: UPLOAD_SECONDS,
  status: 201,
  reply: FileRecord,
  takesTestKeys: true,
  idempotency: 'own',
  examples: examples.upload,
  handle: (context) => withUpload(context, { mostMb: MAX_FILE_MB, example: 'invoice.pdf' }, (given) => kept(context, given)),
});

/** Its bytes first, which may be far away, then its row. */
async function kept(context: KeyContext, { file, filename, contentType }: SpooledUpload): Promise<Answer> {
  const { em, project, files, now, newId } = context;
  const { sha256 } = file;
  const isKept = async ({ id }: { readonly id?: unknown }) => (await fileById(em, project.id, String(id))) !== undefined;
  const keep = async (store: (tx: EntityManager, answer: Answer) => Promise<void>): Promise<Answer> => {
    await files.keep(em, project.id, file, new Date(now().getTime() + STORING_MS));
    return em.transactional(async (tx) => {
      const inserted = await insertFile(tx, { id: newId(), projectId: project.id, sha256, filename, contentType });
      if (!inserted)
        throw new Refusal('unavailable', 'storing the file took too long, so it was discarded; try again', { retryAfterSeconds: 5 });
      const answer = new Answer(201, { ok: true, ...z.encode(FileRecord, shown(inserted)) });
      await store(tx, answer);
      return answer;
    });
  };
  return underKey(context, 'post /files', { filename, contentType, sha256 }, keep, isKept);
}

const list = defineRoute({
  method: 'get',
  path: '/files',
  scope: 'send',
  summary: 'List the uploaded files, newest first',
  query: z.object({ limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: z.object({ files: z.array(FileRecord).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle({ em, project, vault }, { query: { limit, cursor } }) {
    const scope = { projectId: project.id, list: 'files', filter: {} };
    const from: Position | undefined = readCursor(vault, scope, cursor);
    const page = await listFiles(em, project.id, { limit, from, direction: 'next' });
    return { files: page.rows.map(shown), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/files/:id',
  scope: 'send',
  summary: 'Read what is known of an uploaded file',
  params: FilePath,
  status: 200,
  reply: FileRecord,
  errors: ['not_found'],
  examples: examples.read,
  handle: async ({ em, project }, { params }) => shown((await fileById(em, project.id, params.id)) ?? notFound('file')),
});

const content = defineRoute({
  method: 'get',
  path: '/files/:id/content',
  scope: 'send',
  summary: 'Download an uploaded file',
  description: 'As it was uploaded, under its own Content-Type; as a download, never shown.',
  params: FilePath,
  status: 200,
  reply: z.string().meta({ format: 'binary', description: 'The bytes' }),
  answersAs: 'application/octet-stream',
  errors: ['not_found'],
  examples: examples.content,
  async handle(context, { params }) {
    const file = (await fileById(context.em, context.project.id, params.id)) ?? notFound('file');
    return downloadOf(context, file, 'file');
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/files/:id',
  scope: 'send',
  summary: 'Delete an uploaded file',
  description: 'Emails that were asked for with it go as they are: its bytes stay for as long as one of them needs them.',
  params: FilePath,
  status: 200,
  reply: z.object({
    id: z.uuid().meta({ description: 'Of the file' }),
    deleted: z.literal(true).meta({ description: 'No email can name it any more' }),
  }),
  errors: ['not_found'],
  examples: examples.remove,
  async handle({ em, project }, { params: { id } }) {
    if (!(await deleteFile(em, project.id, id))) notFound('file');
    return { id, deleted: true as const };
  },
});

function shown({ id, filename, contentType, size, sha256, createdAt, expiresAt }: UploadedFile): z.output<typeof FileRecord> {
  return { id, filename, content_type: contentType, size, sha256, created_at: createdAt, expires_at: expiresAt };
}

export const routes: readonly Route[] = [upload, list, read, content, remove];
