import { type RawBuilder, sql } from 'kysely';
import { NO_TEMPLATE } from '../../../domain/sends/send.ts';
import { type KeysetPage, type Place, pageOf, type Reach } from '../../cursor-page.ts';
import { isoText } from '../../iso-text.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { leftOutOf } from '../campaigns/left-out.ts';

/** What can have happened to a contact, in the words of the API. */
export const HAPPENINGS = [
  'contact_created',
  'consent_changed',
  'suppressed',
  'event',
  'event_refused',
  'mail_sent',
  'mail_failed',
  'mail_skipped',
  'mail_reported',
  'mail_opened',
  'mail_clicked',
  'sequence_entered',
  'sequence_left',
  'enrollment_refused',
  'campaign_left_out',
] as const;

export type Happening = (typeof HAPPENINGS)[number];

/** One thing that happened to a contact; `details` are those of its kind, in snake case. */
export interface TimelineEntry {
  /** Of the entry: the same each time it is read. */
  readonly id: string;
  readonly created_at: Date;
  readonly kind: Happening;
  readonly details: Readonly<Record<string, unknown>>;
}

/** As stored: a page has up to 250 events, each of which may be 256 KB. */
export const MOST_EVENT_BYTES = 8_192;

export interface TimelineAsked {
  readonly projectId: string;
  readonly contactId: string;
  readonly email: string;
  readonly withMails: boolean;
  /** What alone is told of; undefined: of all. */
  readonly kind?: Happening | undefined;
}

/** One kind of happening: its rows, when each happened, which row it is and what to tell of it. */
interface Source {
  readonly kind: RawBuilder<unknown>;
  readonly at: RawBuilder<unknown>;
  readonly row: RawBuilder<unknown>;
  readonly details: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
}

/** A run and its sequence, and what is told of them. */
const RUNS = sql`enrollments e join sequences q on q.id = e.sequence_id`;
const RUN_DETAILS = sql`'enrollment_id', e.id, 'sequence_key', q.key, 'sequence_name', q.name`;
const OF_RUN = sql`${RUN_DETAILS}, 'sandboxed', e.sandboxed`;
/** What a run waits for now, and until when; null of one that goes on or has ended. */
const STANDING = sql`'waiting_for', e.waiting_for, 'wakes_at', ${isoText(sql`e.wakes_at`)}`;

/**
 * Everything that is known to have happened to the contact, newest first. Each source is read by its own index, no further than the page
 * reaches. The caller knows that the contact is the project's.
 */
export async function contactTimeline(em: EntityManager, asked: TimelineAsked, place: Place): Promise<KeysetPage<TimelineEntry>> {
  const sources = [
    ...ofContact(asked),
    ...ofRuns(asked),
    ...ofRefusals(asked),
    ofCampaigns(asked),
    ...(asked.withMails ? ofMails(asked) : []),
  ];
  return pageOf(place, (bounds, reach) =>
    rows(
      em,
      sql<TimelineEntry>`select * from (${sql.join(
        sources.map((source) => nearest(source, asked.kind, reach)),
        sql` union all `,
      )}) happened where ${bounds}`,
    ),
  );
}

function ofContact({ projectId, contactId, email, withMails }: TimelineAsked): Source[] {
  const changes = sql`h.project_id = ${projectId} and h.contact_id = ${contactId}`;
  return [
    {
      ...{ kind: sql`'contact_created'`, at: sql`c.created_at`, row: sql`c.id` },
      details: sql`'source', c.source, 'status', coalesce(
          (select h.from_status from consent_changes h where ${changes} order by h.id limit 1), c.status), ${consentIn(sql`first.consent`)}, 'topics', nullif(first.topics, '{}'::jsonb)`,
      from: sql`contacts c cross join lateral (select coalesce(
          (select h.consent_before from consent_changes h where ${changes} and h.consent_before is not null order by h.id limit 1),
          jsonb_build_object('source', c.consent_source, 'ip', c.consent_ip, 'user_agent', c.consent_user_agent, 'at', ${isoText(sql`c.consent_at`)})
        ) as consent, (select coalesce(jsonb_object_agg(known.key, known.was) filter (where known.was is not null), '{}'::jsonb)
          from (select distinct on (key) key, was from (
            select k.key, h.topics_before -> k.key as was, h.id from consent_changes h
            cross join lateral jsonb_object_keys(h.topics_before || h.topics_after) as k(key) where ${changes}
            union all
            select k.key, k.value, null from jsonb_each(c.topics) as k) chosen order by key, id nulls last) known) as topics) first where c.id = ${contactId} and c.project_id = ${projectId}`,
    },
    {
      ...{ kind: sql`'consent_changed'`, at: sql`h.at`, row: sql`h.id` },
      details: sql`'from', h.from_status, 'to', h.to_status, 'cause', h.cause,
        'key_id', case when h.cause in ('api_call', 'suppression') then h.cause_id end,
        'send_id', case when h.cause in ('mail_link', 'complaint', 'bounce') and ${withMails} then h.cause_id end,
        ${RUN_DETAILS}, ${consentIn(sql`h.consent_after`)},
        'topics_before', h.topics_before, 'topics', h.topics_after, 'by_ip', h.by_ip, 'by_user_agent', h.by_user_agent`,
      from: sql`consent_changes h left join enrollments e on h.cause = 'sequence' and e.id = h.cause_id left join sequences q on q.id = e.sequence_id
        where ${changes}`,
    },
    {
      ...{ kind: sql`'suppressed'`, at: sql`p.created_at`, row: sql`p.email` },
      details: sql`'reason', p.reason`,
      from: sql`suppressions p where p.project_id = ${projectId} and p.email = ${email}`,
    },
    {
      ...{ kind: sql`'event'`, at: sql`v.created_at`, row: sql`v.id` },
      details: sql`'event_id', v.id, 'type', v.type, 'data', case when pg_column_size(v.data) <= ${sql.lit(MOST_EVENT_BYTES)} then v.data end`,
      from: sql`events v where v.contact_id = ${contactId} and v.project_id = ${projectId}`,
    },
  ];
}

function ofRuns({ projectId, contactId }: TimelineAsked): Source[] {
  const from = sql`${RUNS} where e.contact_id = ${contactId} and e.project_id = ${projectId}`;
  return [
    { kind: sql`'sequence_entered'`, at: sql`e.started_at`, row: sql`e.id`, details: sql`${OF_RUN}, ${STANDING}`, from },
    {
      ...{ kind: sql`'sequence_left'`, at: sql`e.ended_at`, row: sql`e.id` },
      details: sql`${OF_RUN}, 'status', e.status, 'end_reason', e.end_reason`,
      from,
    },
  ];
}

/** What was refused since the contact had unsubscribed. */
function ofRefusals({ projectId, contactId }: TimelineAsked): Source[] {
  const ofContact = sql`r.contact_id = ${contactId} and r.project_id = ${projectId}`;
  const reason = sql`'reason', 'contact_unsubscribed'`;
  return [
    {
      ...{ kind: sql`'event_refused'`, at: sql`r.created_at`, row: sql`r.id` },
      details: sql`'type', r.event_type, ${reason}`,
      from: sql`refused_entries r where ${ofContact} and r.event_type is not null`,
    },
    {
      ...{ kind: sql`'enrollment_refused'`, at: sql`r.created_at`, row: sql`r.id` },
      details: sql`'sequence_key', q.key, 'sequence_name', q.name, ${reason}`,
      from: sql`refused_entries r join sequences q on q.id = r.sequence_id where ${ofContact}`,
    },
  ];
}

function ofCampaigns({ projectId, contactId }: TimelineAsked): Source {
  return {
    ...{ kind: sql`'campaign_left_out'`, at: sql`l.at`, row: sql`c.id` },
    details: sql`'campaign_id', c.id, 'campaign_name', c.name, 'template', c.template, 'reason', l.reason, 'sandboxed', c.sandboxed`,
    from: leftOutOf(projectId, contactId),
  };
}

function ofMails({ projectId, contactId }: TimelineAsked): Source[] {
  const sent = sql`s.contact_id = ${contactId} and s.project_id = ${projectId} and s.status is not null`;
  const from = sql`sends s where ${sent}`;
  const mail = sql`'send_id', s.id, 'template', nullif(s.template, ${sql.lit(NO_TEMPLATE)}), 'subject', s.subject, 'sandboxed', s.sandboxed`;
  return [
    {
      ...{ kind: sql`case s.status when 'sent' then 'mail_sent' else 'mail_failed' end`, at: sql`s.created_at`, row: sql`s.id` },
      details: sql`${mail}, 'type', s.type, 'error', s.error, 'source_type', s.source_type, 'source_id', s.source_id, ${RUN_DETAILS}`,
      from: sql`sends s left join (${RUNS}) on e.id = s.enrollment_id where ${sent}`,
    },
    {
      // It was left out when its run went on or ended; it stands a millisecond before that, so below what came of it.
      ...{
        kind: sql`'mail_skipped'`,
        at: sql`greatest(st.at, coalesce(next.at, e.ended_at) - interval '1 millisecond')`,
        row: sql`st.enrollment_id || ' ' || st.step`,
      },
      details: sql`${OF_RUN}, 'node_id', st.node_id, 'template', ${TEMPLATE_OF_STEP}, 'reason', st.detail`,
      from: sql`${RUNS}
        join enrollment_steps st on st.enrollment_id = e.id and st.kind = 'send_email' and st.outcome = 'skipped'
        left join enrollment_steps next on next.enrollment_id = st.enrollment_id and next.step = st.step + 1
        where e.contact_id = ${contactId} and e.project_id = ${projectId}`,
    },
    { kind: sql`'mail_opened'`, at: sql`s.first_opened_at`, row: sql`s.id`, details: sql`${mail}, 'count', s.open_count`, from },
    { kind: sql`'mail_clicked'`, at: sql`s.first_clicked_at`, row: sql`s.id`, details: sql`${mail}, 'count', s.click_count`, from },
    {
      ...{ kind: sql`'mail_reported'`, at: sql`r.occurred_at`, row: sql`r.id` },
      details: sql`${mail}, 'report', r.type, 'provider', r.provider, 'bounce', r.details -> 'bounce'`,
      // What is said of a copy is not about the contact.
      from: sql`provider_events r join sends s on s.id = r.send_id
        where ${sent} and r.type in ('delivered', 'bounced', 'complained') and (r.email is null or r.email = s.to_email)`,
    },
  ];
}

/** Which mail a step is for, by the version of the graph that its run goes over. */
const TEMPLATE_OF_STEP = sql`(
  select node -> 'config' ->> 'template' from sequence_versions g cross join lateral jsonb_array_elements(g.graph -> 'nodes') node
  where g.sequence_id = e.sequence_id and g.version = e.sequence_version and node ->> 'id' = st.node_id limit 1)`;

/** A kept consent record; of none, each is null. */
function consentIn(record: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`'consent_source', ${record} ->> 'source', 'consent_ip', ${record} ->> 'ip',
    'consent_user_agent', ${record} ->> 'user_agent', 'consent_at', ${record} ->> 'at'`;
}

/** Several kinds are told of one row, so an entry's own id is made of both. A source of another kind than the one that is asked for is not read. */
function nearest(
  { kind, at, row, details, from }: Source,
  only: Happening | undefined,
  { beyond, nearestFirst, limit }: Reach,
): RawBuilder<unknown> {
  return sql`(select * from (
      select md5(${kind} || ' ' || ${row}) as id, ${at} as created_at, ${kind} as kind, jsonb_build_object(${details}) as details from ${from}) one
    where created_at is not null ${only ? sql`and kind = ${sql.lit(only)}` : sql``} and ${beyond} ${nearestFirst} limit ${limit})`;
}
