import { type RawBuilder, sql } from 'kysely';
import { ANSWERS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { OUTCOME_UNKNOWN_AFTER_MS } from '../../../domain/sends/submission-times.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import type { ProjectRow, ScheduledSendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { row, rows } from '../../rows.ts';
import { hasNoStart, workflowIdOf } from '../operations/outbox.ts';
import { withoutCopy } from './copies.ts';
import type { ProjectHold } from './gate-verdict.ts';
import { PROJECT_HELD_BY } from './send-gates.ts';
import { type Addressee, alsoOfScheduled, type SendFilter, type SharedFilter } from './send-log.ts';

export type NewScheduledSend = Omit<ScheduledSendRow, 'available_at' | 'created_at'>;

/** `isFirst`: one of those that were written is due before all that waited. A key that another has is not written: it waits for whoever is at it. */
export interface InsertedScheduled {
  /** Their ids. */
  readonly written: readonly string[];
  readonly isFirst: boolean;
}

/** Writes mails of one project that are to go later, in the order of their keys: two batches that have the same ones do not wait for each other. */
export async function insertScheduled(
  tx: EntityManager,
  projectId: string,
  sends: readonly NewScheduledSend[],
): Promise<InsertedScheduled> {
  const given = sends.map(({ request_hash: hash, ...send }) => ({
    ...send,
    hash: hash === null ? null : Buffer.from(hash).toString('hex'),
  }));
  const inserted = await row(
    tx,
    sql<InsertedScheduled>`
      with given as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
          as g(id uuid, due_at timestamptz, call jsonb, caller jsonb, contact_id uuid, to_email text, template text, type text, brand_id text, subject text, sandboxed boolean, idempotency_key text, hash text)
      ), written as (
        insert into scheduled_sends (id, project_id, due_at, available_at, call, caller, contact_id, to_email, template, type, brand_id, subject, sandboxed, idempotency_key, request_hash)
        select id, ${projectId}, due_at, due_at, call, caller, contact_id, to_email, template, type, brand_id, subject, sandboxed, idempotency_key, decode(hash, 'hex')
        from given order by idempotency_key on conflict do nothing returning id, due_at
      )
      select (select coalesce(array_agg(id), '{}') from written) as written,
             coalesce((select min(due_at) from written) < (select min(available_at) from scheduled_sends where project_id = ${projectId}), true) as "isFirst"`,
  );
  return inserted as InsertedScheduled;
}

/** A mail that has a key, and the fingerprint of what was asked for under it. */
export interface KeyHolder extends Pick<ScheduledSendRow, 'id' | 'request_hash'> {}

/** Those whose key is known by a stored answer alone: they were asked for by a version that kept no keys with such mails, and wait or have gone. */
export async function scheduledBefore(tx: EntityManager, projectId: string, keys: readonly string[]): Promise<Map<string, KeyHolder>> {
  if (keys.length === 0) return new Map();
  const found = await rows(
    tx,
    sql<KeyHolder & { readonly key: string }>`
      select k.key, (k.response ->> 'id')::uuid as id, k.request_hash
      from idempotency_keys k
      where k.project_id = ${projectId} and k.route = 'post /send' and k.key = any(${keys}::text[]) and k.response is not null
        and k.created_at > now() - make_interval(secs => ${ANSWERS_KEPT_MS / 1000})
        and (exists (select 1 from scheduled_sends q where q.id = (k.response ->> 'id')::uuid)
          or exists (select 1 from sends s where s.id = (k.response ->> 'id')::uuid))`,
  );
  return new Map(found.map(({ key, ...holder }) => [key, holder]));
}

/** Locks a mail that waits: while it is held, nobody opens it. undefined: the project has none of this id. */
export async function lockScheduled(tx: EntityManager, projectId: string, id: string): Promise<ScheduledSendRow | undefined> {
  return row(tx, sql<ScheduledSendRow>`select * from scheduled_sends where id = ${id} and project_id = ${projectId} for update`);
}

/** Whether a mail has been opened under this id: it is on its way, or has gone. */
export async function isOpened(tx: EntityManager, id: string): Promise<boolean> {
  return (await row(tx, sql`select 1 from sends where id = ${id}`)) !== undefined;
}

/** Of one that is locked. Returns whether it is now due before all others. */
export async function moveScheduled(
  tx: EntityManager,
  { id, project_id }: Pick<ScheduledSendRow, 'id' | 'project_id'>,
  dueAt: Date,
): Promise<boolean> {
  const moved = await row(
    tx,
    sql<{ is_first: boolean }>`
      with moved as (update scheduled_sends set due_at = ${dueAt}, available_at = ${dueAt} where id = ${id})
      select ${dueAt}::timestamptz < (select min(available_at) from scheduled_sends where project_id = ${project_id}) as is_first`,
  );
  return moved?.is_first ?? false;
}

export async function deleteScheduled(tx: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await row(tx, sql`delete from scheduled_sends where id = any(${ids}::uuid[])`);
}

/** Nothing that waits goes to this person any more. */
export async function deleteScheduledTo(
  tx: EntityManager,
  projectId: string,
  contact: { readonly id: string; readonly email: string },
): Promise<void> {
  await row(
    tx,
    sql`delete from scheduled_sends where project_id = ${projectId} and (contact_id = ${contact.id} or to_email = ${contact.email})`,
  );
}

/** Takes an address out of the copies of what waits, which goes to the others. */
export async function eraseScheduledCopies(tx: EntityManager, projectId: string, email: string): Promise<void> {
  await row(
    tx,
    sql`
      with named as materialized (
        select q.id, q.call -> 'details' as details from scheduled_sends q where q.project_id = ${projectId} and ${HAS_COPIES}
          and q.call -> 'details' @> any(array[${JSON.stringify({ cc: [{ email }] })}, ${JSON.stringify({ bcc: [{ email }] })}]::jsonb[])
        order by q.id for update
      )
      update scheduled_sends q set call = jsonb_set(q.call, '{details}', ${withoutCopy(sql.ref('n.details'), email)})
      from named n where q.id = n.id`,
  );
}

/** The condition of the index over those few that have copies. */
const HAS_COPIES = sql.raw(`(q.call -> 'details' -> 'cc' is not null or q.call -> 'details' -> 'bcc' is not null)`);

/** A project whose mails wait, and what keeps them from going; null when nothing does. */
export interface SchedulingProject extends Pick<ProjectRow, 'id' | 'slug'> {
  readonly heldBy: ProjectHold | null;
}

/** undefined: the project is gone. */
export async function schedulingProject(em: EntityManager, projectId: string): Promise<SchedulingProject | undefined> {
  return row(em, sql<SchedulingProject>`select p.id, p.slug, ${PROJECT_HELD_BY} as "heldBy" from projects p where p.id = ${projectId}`);
}

/** By then whoever took it has given it its outcome, or has died. */
const LEASE_MS = OUTCOME_UNKNOWN_AFTER_MS + 30_000;

/** A mail that is due. */
export interface DueSend extends ScheduledSendRow {
  /** It was given up: its row has let its key go, so that nobody finds the row by it. */
  readonly is_given_up: boolean;
  /** Another mail has its key, or it was opened without: it goes under its id. */
  readonly lacks_key: boolean;
}

/** Takes so many that are due, so that nobody else does meanwhile; none while the project is held. */
export async function takeDue(em: EntityManager, projectId: string, limit: number): Promise<DueSend[]> {
  return rows(
    em,
    sql<DueSend>`
      with due as materialized (
        select id from scheduled_sends where project_id = ${projectId} and available_at <= now()
          and exists (select 1 from projects p where p.id = ${projectId} and ${PROJECT_HELD_BY} is null)
        order by available_at limit ${limit} for update skip locked
      )
      update scheduled_sends q set available_at = now() + make_interval(secs => ${LEASE_MS / 1000}::double precision)
      from due where q.id = due.id
      returning q.*,
        exists (select 1 from sends s where s.id = q.id and s.status is not null and s.idempotency_key is null) as is_given_up,
        q.idempotency_key is null
          or exists (select 1 from sends s where s.project_id = q.project_id and s.idempotency_key = q.idempotency_key and s.id <> q.id)
          or exists (select 1 from sends s where s.id = q.id and s.idempotency_key <> q.idempotency_key) as lacks_key`,
  );
}

/** Gives those back that may go later: after so long each, but for one that was moved meanwhile. */
export async function putOffScheduled(
  em: EntityManager,
  later: readonly { readonly id: string; readonly seconds: number }[],
): Promise<void> {
  if (later.length === 0) return;
  await row(
    em,
    sql`
      update scheduled_sends q set available_at = now() + make_interval(secs => l.seconds)
      from jsonb_to_recordset(${JSON.stringify(later)}::jsonb) as l(id uuid, seconds double precision) where q.id = l.id and q.due_at <= now()`,
  );
}

/** What is due and was put off may be taken now. */
export async function offerPutOff(em: EntityManager, projectId: string): Promise<void> {
  await row(
    em,
    sql`update scheduled_sends set available_at = now() where project_id = ${projectId} and due_at <= now() and available_at > now()`,
  );
}

const NEXT_IN_MS = (projectId: string): RawBuilder<number | null> =>
  sql`(select extract(epoch from min(available_at) - now()) * 1000 from scheduled_sends where project_id = ${projectId})::float8`;

/** Milliseconds until the next may be looked at, by PostgreSQL's clock; negative where it is due, null: none waits. */
export async function nextDueInMs(em: EntityManager, projectId: string): Promise<number | null> {
  const found = await row(em, sql<{ next: number | null }>`select ${NEXT_IN_MS(projectId)} as next`);
  return found?.next ?? null;
}

/** What waits in a project. */
export interface Waiting {
  /** Counted up to MOST_COUNTED. */
  readonly count: number;
  /** As of `nextDueInMs`. */
  readonly nextInMs: number | null;
}

export const MOST_COUNTED = 10_000;

export async function waitingIn(em: EntityManager, projectId: string): Promise<Waiting> {
  const found = await row(
    em,
    sql<Waiting>`
      select (select count(*)::integer from (select 1 from scheduled_sends where project_id = ${projectId} limit ${MOST_COUNTED}) c) as count,
             ${NEXT_IN_MS(projectId)} as "nextInMs"`,
  );
  return found ?? { count: 0, nextInMs: null };
}

/** Those that wait, the newest first. A filter for what only a mail that went can have finds none. */
export async function listScheduled(
  em: EntityManager,
  projectId: string,
  filter: Omit<SendFilter, 'status'>,
  place: Place,
): Promise<KeysetPage<ScheduledSendRow>> {
  const { sourceType, sourceId, variant, deliveryStatus, tag, datum, q, ...shared } = filter;
  // What a new filter means for those that wait is to be said here.
  shared satisfies { [Name in keyof typeof shared]: Name extends keyof SharedFilter ? unknown : never };
  const isOther =
    (sourceType !== undefined && sourceType !== 'api') || [sourceId, variant, deliveryStatus].some((given) => given !== undefined);
  const conditions = [sql`project_id = ${projectId}`, isOther ? sql`false` : sql`true`, ...alsoOfScheduled(shared)];
  if (tag !== undefined) conditions.push(hasDetails({ tags: [tag] }));
  if (datum) conditions.push(hasDetails({ metadata: { [datum.name]: datum.value } }));
  if (q) conditions.push(sql`strpos(to_email, lower(${q})) > 0`);
  return pageOf(place, (bounds) =>
    rows(em, sql<ScheduledSendRow>`select * from scheduled_sends where ${sql.join(conditions, sql` and `)} and ${bounds}`),
  );
}

function hasDetails(details: object): RawBuilder<unknown> {
  return sql`call @> ${JSON.stringify({ details })}::jsonb`;
}

/** Those that wait to go to the person, as a contact or by the address, newest first. */
export async function scheduledTo(
  em: EntityManager,
  { id, project_id, email }: Addressee,
  place: Place,
): Promise<KeysetPage<ScheduledSendRow>> {
  return pageOfWaiting(em, place, sql`project_id = ${project_id} and (contact_id = ${id} or to_email = ${email})`);
}

/** Those that wait to go to others, with a copy to the person. */
export async function scheduledCopiesTo(
  em: EntityManager,
  { id, project_id, email }: Addressee,
  place: Place,
): Promise<KeysetPage<ScheduledSendRow>> {
  return pageOfWaiting(
    em,
    place,
    sql`project_id = ${project_id} and ${HAS_COPIES} and (${hasDetails({ cc: [{ email }] })} or ${hasDetails({ bcc: [{ email }] })})
      and contact_id is distinct from ${id}::uuid and to_email <> ${email}`,
  );
}

/** Of few that an index of their own finds: that of the list would go through all that wait. */
async function pageOfWaiting(em: EntityManager, place: Place, wanted: RawBuilder<unknown>): Promise<KeysetPage<ScheduledSendRow>> {
  return pageOf(place, (bounds, { nearestFirst }) =>
    rows(
      em,
      sql<ScheduledSendRow>`
        with found as materialized (select q.id, q.created_at from scheduled_sends q where ${wanted}),
        page as materialized (select id from found where ${bounds})
        select s.* from page join scheduled_sends s using (id) ${nearestFirst}`,
    ),
  );
}

export async function findScheduled(em: EntityManager, projectId: string, id: string): Promise<ScheduledSendRow | undefined> {
  return row(em, sql<ScheduledSendRow>`select * from scheduled_sends where id = ${id} and project_id = ${projectId}`);
}

/** What the workflow of a project's scheduled mails is started with. */
export interface ScheduledStart extends Pick<ProjectRow, 'id' | 'slug'> {}

export async function scheduledStarts(em: EntityManager, projectIds: readonly string[]): Promise<ScheduledStart[]> {
  if (projectIds.length === 0) return [];
  return rows(em, sql<ScheduledStart>`select id, slug from projects where id = any(${projectIds}::uuid[])`);
}

/** Whether mails of project `p` wait. */
export const HAS_SCHEDULED = sql.raw('exists (select 1 from scheduled_sends q where q.project_id = p.id)');

/** Projects whose mails wait after this one (null: from the first), in order of their ids. */
export async function batchOfScheduling(em: EntityManager, after: string | null, limit: number): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<ProjectRow, 'id'>>`
      select p.id from projects p where ${HAS_SCHEDULED} and p.id > ${after ?? LOWEST_ID}::uuid order by p.id limit ${limit}`,
  );
  return found.map(({ id }) => id);
}

/** Which of these projects have mails that wait. */
export async function schedulingAmong(em: EntityManager, projectIds: readonly string[]): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<ProjectRow, 'id'>>`select p.id from projects p where p.id = any(${projectIds}::uuid[]) and ${HAS_SCHEDULED}`,
  );
  return found.map(({ id }) => id);
}

/** Those of them whose workflow has no start on its way. */
export async function schedulingToStart(tx: EntityManager, projectIds: readonly string[]): Promise<string[]> {
  const found = await rows(
    tx,
    sql<Pick<ProjectRow, 'id'>>`
      select p.id from projects p where p.id = any(${projectIds}::uuid[]) and ${HAS_SCHEDULED} and ${hasNoStart(workflowIdOf('scheduledSends', 'p.id'))}`,
  );
  return found.map(({ id }) => id);
}
