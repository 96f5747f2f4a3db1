import * as z from 'zod';
import type { SuppressionRow } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { contactIdsOf } from '../../../db/queries/contacts/contacts.ts';
import { listSuppressions, pageSuppressions, unsuppress } from '../../../db/queries/suppressions/suppressions.ts';
import { notFound } from '../../../domain/errors.ts';
import { SUPPRESSION_REASONS, SUPPRESSION_RULES } from '../../../domain/suppressions/suppression.ts';
import { suppress } from '../../../usecases/suppressions/suppress.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/suppression-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Cursor, DEFAULT_LIMIT, Email, FilterText, Limit, MAX_LIMIT, NextCursor, Timestamp } from '../../schemas.ts';

export const SuppressionReasonName = z.enum(SUPPRESSION_REASONS).meta({
  id: 'SuppressionReason',
  description: SUPPRESSION_REASONS.map((reason) => `\`${reason}\`: ${SUPPRESSION_RULES[reason].meaning}`).join('; '),
});
const reasonsThat = (does: 'replaces' | 'unsubscribes') => SUPPRESSION_REASONS.filter((reason) => SUPPRESSION_RULES[reason][does]);
const Address = z.string().meta({ description: 'The address' });
const SuppressionRecord = z
  .object({
    email: Address,
    reason: SuppressionReasonName,
    created_at: Timestamp.meta({ description: 'Since when' }),
    contact_id: z.uuid().nullable().meta({ description: 'The contact that has the address; null: there is none' }),
  })
  .meta({ id: 'Suppression', description: 'An address that gets no email at all' });

const list = defineRoute({
  method: 'get',
  path: '/suppressions',
  scope: 'suppressions:read',
  summary: 'List suppressed addresses, newest first',
  description:
    'All of them in one answer, unless `limit` or `cursor` asks for pages: with many thousands do that. Addresses whose contact was erased are ' +
    'suppressed too and not listed, since only a hash of them is kept.',
  query: z.object({
    q: FilterText.optional().meta({ description: 'Part of the address' }),
    email: Email.optional().meta({ description: 'The whole address' }),
    reason: SuppressionReasonName.optional(),
    limit: Limit.unwrap()
      .optional()
      .meta({
        type: 'integer',
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `Pages of so many; ${DEFAULT_LIMIT} when only \`cursor\` is given`,
      }),
    cursor: Cursor.optional(),
  }),
  status: 200,
  reply: z.object({
    suppressions: z.array(SuppressionRecord).meta({ description: 'All of them, or this page' }),
    nextCursor: NextCursor.optional().meta({ description: 'For the next page; null on the last, absent where no pages were asked for' }),
  }),
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle({ em, project, vault }, { query }) {
    const { limit, cursor, ...filter } = query;
    if (limit === undefined && cursor === undefined) {
      return { suppressions: await records(em, project.id, await listSuppressions(em, project.id, filter)) };
    }
    const scope = { projectId: project.id, list: 'suppressions', filter };
    const place = { limit: limit ?? DEFAULT_LIMIT, from: readCursor(vault, scope, cursor), direction: 'next' as const };
    const page = await pageSuppressions(em, project.id, filter, place);
    return { suppressions: await records(em, project.id, page.rows), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

/** Their further columns are left out. */
async function records(
  em: EntityManager,
  projectId: string,
  suppressions: readonly SuppressionRow[],
): Promise<z.output<typeof SuppressionRecord>[]> {
  const emails = suppressions.map(({ email }) => email);
  const contacts = await contactIdsOf(em, projectId, emails);
  return suppressions.map(({ email, reason, created_at }) => ({
    ...{ email, reason, created_at },
    contact_id: contacts.get(email) ?? null,
  }));
}

const add = defineRoute({
  method: 'post',
  path: '/suppressions',
  scope: 'suppressions:write',
  summary: 'Suppress an address: it gets no email at all',
  description:
    `One reason an address: the first stays unless the new one is ${reasonsThat('replaces').join(' or ')}, and the answer names the stored one. ` +
    `${reasonsThat('unsubscribes').join(' and ')} also unsubscribe a matching contact.`,
  body: z
    .object({ email: Email, reason: SuppressionReasonName.nullish().meta({ description: 'manual when omitted' }) })
    .meta({ id: 'SuppressionInput', description: 'Which address, and why' }),
  status: 201,
  reply: z.object({ email: Address, reason: SuppressionReasonName }),
  errors: ['invalid_request'],
  examples: examples.suppress,
  async handle({ em, project, keyId, now }, { body }) {
    const { email } = body;
    const by = { cause: 'suppression', id: keyId } as const;
    const suppression = { projectId: project.id, email, reason: body.reason ?? ('manual' as const), by, now: now() };
    return { email, reason: await em.transactional((tx) => suppress(tx, suppression)) };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/suppressions/:email',
  scope: 'suppressions:write',
  summary: 'Take an address off the list',
  params: z.object({ email: Email.meta({ description: 'URL-encoded' }) }),
  status: 200,
  reply: z.object({ email: Address, deleted: z.literal(true).meta({ description: 'It may get email again' }) }),
  errors: ['not_found'],
  examples: examples.unsuppress,
  async handle({ em, project }, { params }) {
    if (!(await unsuppress(em, project.id, params.email))) notFound('suppression');
    return { email: params.email, deleted: true as const };
  },
});

export const routes: readonly Route[] = [list, add, remove];
