import { validate as isUuid } from 'uuid';
import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { findScheduled } from '../../../db/queries/sends/scheduled-sends.ts';
import { findSend } from '../../../db/queries/sends/send-log.ts';
import { notFound } from '../../../domain/errors.ts';
import type { Attachment } from '../../../domain/sends/attachments.ts';
import { downloadOf } from '../../downloads.ts';
import * as examples from '../../examples/send-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { SendPath } from './sends.ts';

const download = defineRoute({
  method: 'get',
  path: '/sends/:id/attachments/:number',
  scope: 'sends:read',
  summary: 'Download an attachment of an email',
  description: 'As a download, never shown. 404 when its bytes are not kept any more, or the recipient was erased.',
  params: SendPath.extend({
    number: z
      .string()
      .regex(/^\d{1,2}$/, { error: 'the place of an attachment in `attachments`, from 0' })
      .meta({ description: 'As the email has it in `attachments`, from 0' }),
  }),
  status: 200,
  reply: z.string().meta({ format: 'binary', description: 'The bytes' }),
  answersAs: 'application/octet-stream',
  errors: ['not_found'],
  examples: examples.download,
  async handle(context, { params: { id, number } }) {
    const attachment = (await attachmentsOf(context.em, context.project.id, id))[Number(number)] ?? notFound('attachment');
    return downloadOf(context, attachment, 'attachment');
  },
});

async function attachmentsOf(em: EntityManager, projectId: string, id: string): Promise<readonly Attachment[]> {
  const send = await findSend(em, projectId, id);
  if (send) return send.details?.attachments ?? [];
  const waiting = isUuid(id) ? await findScheduled(em, projectId, id) : undefined;
  return waiting?.call.details?.attachments ?? [];
}

export const routes: readonly Route[] = [download];
