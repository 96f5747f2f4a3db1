import * as z from 'zod';
import { listSuppressions, suppress, unsuppress } from '../../db/queries/suppressions.ts';
import { notFound } from '../../domain/errors.ts';
import { SUPPRESSION_REASONS } from '../../domain/suppression.ts';
import * as examples from '../examples/audience-examples.ts';
import { defineRoute } from '../route.ts';
import { Email, Timestamp } from '../schemas.ts';

const Reason = z.enum(SUPPRESSION_REASONS).meta({
  id: 'SuppressionReason',
  description: '`bounce` and `complaint` as the provider reports, `manual` by hand, `global_unsubscribe` an opt-out from everything',
});
const Address = z.string().meta({ description: 'The address' });
const SuppressionRecord = z
  .object({ email: Address, reason: Reason, created_at: Timestamp.meta({ description: 'Since when' }) })
  .meta({ id: 'Suppression', description: 'An address that gets no mail at all' });

export const list = defineRoute({
  method: 'get',
  path: '/suppressions',
  scope: 'any key',
  summary: 'List suppressed addresses, newest first',
  status: 200,
  reply: z.object({ suppressions: z.array(SuppressionRecord).meta({ description: 'All of them' }) }),
  examples: examples.listSuppressions,
  async handle({ em, project }) {
    return { suppressions: (await listSuppressions(em, project.id)) as z.output<typeof SuppressionRecord>[] };
  },
});

export const add = defineRoute({
  method: 'post',
  path: '/suppressions',
  scope: 'suppressions:write',
  summary: 'Suppress an address: it gets no mail at all',
  description:
    'One reason an address: the first stays unless the new one is complaint, and the answer names the stored one. ' +
    'global_unsubscribe and complaint also unsubscribe a matching contact.',
  body: z
    .object({ email: Email, reason: Reason.nullish().meta({ description: 'manual when omitted' }) })
    .meta({ id: 'SuppressionInput', description: 'Which address, and why' }),
  status: 201,
  reply: z.object({ email: Address, reason: Reason }),
  errors: ['invalid_request'],
  examples: examples.suppress,
  async handle({ em, project, now }, { body }) {
    const { email } = body;
    const suppression = { projectId: project.id, email, reason: body.reason ?? ('manual' as const), now: now() };
    return { email, reason: await em.transactional((tx) => suppress(tx, suppression)) };
  },
});

export const remove = defineRoute({
  method: 'delete',
  path: '/suppressions/:email',
  scope: 'suppressions:write',
  summary: 'Take an address off the list',
  params: z.object({ email: Email.meta({ description: 'URL-encoded' }) }),
  status: 200,
  reply: z.object({ email: Address, deleted: z.literal(true).meta({ description: 'It may get mail again' }) }),
  errors: ['not_found'],
  examples: examples.unsuppress,
  async handle({ em, project }, { params }) {
    if (!(await unsuppress(em, project.id, params.email))) notFound('suppression');
    return { email: params.email, deleted: true as const };
  },
});
