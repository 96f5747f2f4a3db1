import { validate as isUuid } from 'uuid';
import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { findScheduled } from '../../../db/queries/sends/scheduled-sends.ts';
import { findSend } from '../../../db/queries/sends/send-log.ts';
import { notFound } from '../../../domain/errors.ts';
import { contentDisposition } from '../../../domain/files/file.ts';
import type { Attachment } from '../../../domain/sends/attachments.ts';
import * as examples from '../../examples/send-examples.ts';
import { createPlaces } from '../../places.ts';
import { Answer, defineRoute, type Route } from '../../route.ts';
import { SendPath } from './sends.ts';

const downloads = createPlaces('downloads', { each: 16, all: 128 });

const download = defineRoute({
  method: 'get',
  path: '/sends/:id/attachments/:number',
  scope: 'sends:read',
  summary: 'Download an attachment of a mail',
  description: 'As a download, never shown. 404 when its bytes are not kept any more, or the recipient was erased.',
  params: SendPath.extend({
    number: z
      .string()
      .regex(/^\d{1,2}$/, { error: 'the place of an attachment in `attachments`, from 0' })
      .meta({ description: 'As the mail has it in `attachments`, from 0' }),
  }),
  status: 200,
  reply: z.string().meta({ format: 'binary', description: 'The bytes' }),
  answersAs: 'application/octet-stream',
  errors: ['not_found'],
  examples: examples.download,
  async handle({ em, project, files }, { params: { id, number } }) {
    const { filename, contentType, size, sha256 } = (await attachmentsOf(em, project.id, id))[Number(number)] ?? notFound('attachment');
    const release = downloads.take(project.id);
    try {
      const bytes = (await files.open(em, project.id, sha256)) ?? notFound('attachment');
      bytes.once('close', release);
      return new Answer(200, bytes, {
        'Content-Type': contentType,
        'Content-Length': String(size),
        'Content-Disposition': contentDisposition(filename),
        // Of every answer: nosniff (api/unread-request.ts).
        'Content-Security-Policy': "sandbox; default-src 'none'",
      });
    } catch (error) {
      release();
      throw error;
    }
  },
});

async function attachmentsOf(em: EntityManager, projectId: string, id: string): Promise<readonly Attachment[]> {
  const send = await findSend(em, projectId, id);
  if (send) return send.details?.attachments ?? [];
  const waiting = isUuid(id) ? await findScheduled(em, projectId, id) : undefined;
  return waiting?.call.details?.attachments ?? [];
}

export const routes: readonly Route[] = [download];
