import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { listRuns, type ShownRecurring } from '../../../db/queries/campaigns/recurring-campaigns.ts';
import { notFound } from '../../../domain/errors.ts';
import { type Asked, approveRecurring, setRecurringPaused, skipNext } from '../../../usecases/campaigns/change-recurring.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/recurring-examples.ts';
import { demandOwnRecurring, recurringOf, rulePreview, runRecord, wholeRecurring } from '../../recurring-records.ts';
import { OneRecurring, RecurrencePreview, RecurrencePreviewBody, RunList } from '../../recurring-schemas.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { Cursor, IfVersion, Limit, PathId } from '../../schemas.ts';

const RecurringPath = z.object({ id: PathId.meta({ description: "The recurring campaign's id" }) });
const OfVersion = z.object({ ifVersion: IfVersion });

const runs = defineRoute({
  method: 'get',
  path: '/recurring-campaigns/:id/runs',
  scope: 'campaigns:read',
  summary: 'List what became of the instants of a recurring campaign, the latest first',
  description: 'Those that were made, could not be made, were missed or are skipped; what came while it was paused is none of them.',
  params: RecurringPath,
  query: z.object({ limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: RunList,
  errors: ['not_found', 'invalid_cursor'],
  examples: examples.runs,
  async handle({ em, project, vault }, { params, query }) {
    const { id } = await recurringOf(em, project.id, params.id);
    const scope = { projectId: project.id, list: 'recurring runs', filter: { id } };
    const page = await listRuns(em, id, { limit: query.limit, from: readCursor(vault, scope, query.cursor), direction: 'next' });
    return { runs: page.rows.map((run) => ({ ...runRecord(run), at: run.at })), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const pause = defineRoute({
  method: 'post',
  path: '/recurring-campaigns/:id/pause',
  scope: 'campaigns:write',
  summary: 'Pause a recurring campaign',
  description: 'No campaign is made until it is resumed; those that were made go on. `invalid_status`: it is paused already, or has ended.',
  params: RecurringPath,
  status: 200,
  reply: OneRecurring,
  errors: ['not_found', 'invalid_status'],
  examples: examples.pause,
  takesTestKeys: true,
  handle: (context, { params }) => changed(context, params.id, undefined, (em, asked) => setRecurringPaused(em, asked, true)),
});

const resume = defineRoute({
  method: 'post',
  path: '/recurring-campaigns/:id/resume',
  scope: 'campaigns:write',
  summary: 'Let a paused recurring campaign go on',
  description:
    'With the next instant that comes: what came while it was paused is not made up for. It ends where its rule has none. `invalid_status`: it is not paused.',
  params: RecurringPath,
  status: 200,
  reply: OneRecurring,
  errors: ['not_found', 'invalid_status'],
  examples: examples.resume,
  takesTestKeys: true,
  handle: (context, { params }) => changed(context, params.id, undefined, (em, asked) => setRecurringPaused(em, asked, false)),
});

const skip = defineRoute({
  method: 'post',
  path: '/recurring-campaigns/:id/skip-next',
  scope: 'campaigns:write',
  summary: 'Leave out the next run',
  description:
    'The first of `next_runs` that has not come; each call skips one more, and is the next `version`, so name what was looked at in `ifVersion`. An approval stays. ' +
    '`invalid_status`: it is paused, or has ended.',
  params: RecurringPath,
  query: OfVersion,
  status: 200,
  reply: OneRecurring,
  errors: ['not_found', 'invalid_status', 'version_conflict'],
  idempotency: 'stored',
  examples: examples.skip,
  takesTestKeys: true,
  handle: (context, { params, query }) => changed(context, params.id, query.ifVersion, skipNext),
});

const approve = defineRoute({
  method: 'post',
  path: '/recurring-campaigns/:id/approve',
  scope: 'campaigns:write',
  summary: 'Approve a recurring campaign as it is',
  description:
    'All of its campaigns, until it is changed: name what was looked at in `ifVersion`. `forbidden`: the key, or the key of the session, wrote the last change; another ' +
    'one approves it. Projects ask for it by `project set --campaign-approval on`.',
  params: RecurringPath,
  query: OfVersion,
  status: 200,
  reply: OneRecurring,
  errors: ['not_found', 'invalid_status', 'version_conflict'],
  examples: examples.approve,
  handle: (context, { params, query }) => changed(context, params.id, query.ifVersion, approveRecurring),
});

const preview = defineRoute({
  method: 'post',
  path: '/recurring-campaigns/preview',
  scope: 'campaigns:read',
  summary: 'Preview a rule: its words and its next runs',
  description: 'Nothing is written. A rule by which nothing runs has no `next_runs`; POST /recurring-campaigns refuses it.',
  body: RecurrencePreviewBody,
  status: 200,
  reply: RecurrencePreview,
  errors: ['invalid_request', 'not_found'],
  examples: examples.preview,
  takesTestKeys: true,
  async handle({ em, project, now }, { body: { recurrence, recurringId } }) {
    return rulePreview(recurrence, now(), recurringId ? await recurringOf(em, project.id, recurringId) : undefined);
  },
});

async function changed(
  context: KeyContext,
  id: string,
  ifVersion: number | undefined,
  change: (em: EntityManager, asked: Asked) => Promise<ShownRecurring | undefined>,
): Promise<z.output<typeof OneRecurring>> {
  const { em, project, keyId } = context;
  await demandOwnRecurring(context, id);
  const after = await change(em, { projectId: project.id, id, keyId, ifVersion });
  return wholeRecurring(context, after ?? notFound('recurring campaign'));
}

export const routes: readonly Route[] = [runs, pause, resume, skip, approve, preview];
