import { type RawBuilder, sql } from 'kysely';
import { IS_OVER } from '../sequences/is-over.ts';
import {
  type CampaignStop,
  capVerdict,
  type GateVerdict,
  holdVerdict,
  type ProjectHold,
  plainVerdict,
  type StepHold,
} from './gate-verdict.ts';
import { refusal } from './permission.ts';

/**
 * Decides about each mail of a batch, inside the statement that writes the intents, so that nothing changes in between. A missing row never
 * reads as permission.
 */
export interface SendGate {
  /** SQL text over the row `r` of the batch: null when the mail may go. */
  readonly verdict: RawBuilder<GateVerdict | null>;
  /** Whether a mail that may not go has a failed row all the same. */
  readonly logsRefused: boolean;
}

/** Of a row that says neither that the mail is held nor that nothing goes any more. */
const OPEN = sql.raw(`'null'::jsonb`);

/** The key of the topic that the mail is of. */
const TOPIC = sql`(r.details ->> 'topic')`;

const REFUSED = refusal({
  ...{ projectId: sql`r.project_id`, email: sql`r.to_email`, type: sql`r.type`, contactId: sql`r.contact_id` },
  topic: TOPIC,
});

/** POST /send: suppressed for every mail, unsubscribed and bounced for marketing; each attempt has its row. */
export const API_GATE: SendGate = { verdict: REFUSED, logsRefused: true };

/**
 * A mail of POST /send that was to go later, which its row says, and which this shares: of a cancellation or a move and a send one is first. Then
 * as a call.
 */
export const SCHEDULED_GATE: SendGate = {
  verdict: sql`coalesce(nullif(coalesce((
      select ${OPEN} from scheduled_sends q where q.id = r.id and q.due_at <= now() for share of q), ${plainVerdict('ended')}), ${OPEN}), ${REFUSED})`,
  logsRefused: true,
};

/**
 * The mail that asks somebody who signed up: its confirmation, whose row this shares, waits still, so that of an answer and a mail one is first. Then
 * as a call.
 */
export const CONFIRMATION_GATE: SendGate = {
  verdict: sql`coalesce(nullif(coalesce((
      select ${OPEN} from confirmations q where q.id = r.source_id::uuid and q.state = 'waiting' for share of q), ${plainVerdict('ended')}), ${OPEN}), ${REFUSED})`,
  logsRefused: true,
};

/** The test route: as a call, since the address that looks at a draft is a recipient like any other. */
export const TEST_GATE: SendGate = { verdict: REFUSED, logsRefused: true };

/** What keeps project `p` from sending, as branches of a case. */
const PROJECT_HELD = `when p.status <> 'active' then 'project_suspended' when not p.owner_email_verified then 'email_unverified'`;

/** The same by itself; null when nothing does. */
export const PROJECT_HELD_BY: RawBuilder<ProjectHold | null> = sql.raw(`case ${PROJECT_HELD} end`);

/** What keeps the runs of sequence `s` in project `p` from sending: docs/contract/sequences.md 12, docs/contract/events.md 17. */
export const HELD_BY: RawBuilder<StepHold | null> = sql.raw(`case when s.status in ('draft', 'paused') then 'paused' ${PROJECT_HELD} end`);

/**
 * The accepted mail, or the one in flight, that stands in the way of a step under a frequency cap. A campaign's mail in flight stands in its batch
 * alone. Mails that never left stand in the way of such alone. The contact's row is locked by an earlier statement of the transaction, so that
 * two sequences do not both find the last place free.
 */
const CAPPED = sql`(
  select ${capVerdict({
    freesAtMs: sql`extract(epoch from c.at) * 1000 + r.cap_seconds * 1000`,
    isInFlight: sql.ref('c.in_flight'),
  })}
  from (
    select c.created_at as at, c.status is null as in_flight
    from sends c
    where c.contact_id = r.contact_id and c.project_id = r.project_id and c.type = 'marketing'
      and c.status is distinct from 'failed' and c.created_at > now() - make_interval(secs => r.cap_seconds)
      and c.sandboxed = coalesce(r.sandboxed, false)
      and (c.enrollment_id, c.node_id, c.visit) is distinct from (r.enrollment_id, r.node_id, r.visit)
    union all
    select g.opened_at, true
    from campaign_pages g join campaigns c on c.id = g.campaign_id and c.project_id = r.project_id and c.type = 'marketing' and (not c.sandboxed or r.sandboxed)
    where g.state = 'open' and r.contact_id = any(g.contact_ids)
      and not exists (select 1 from sends s where s.id = g.send_ids[array_position(g.contact_ids, r.contact_id)])
  ) c
  where r.cap_count is not null
  order by c.at desc offset r.cap_count - 1 limit 1)`;

/** Whether the send window of a step is closed: only within its opening it goes. */
const CLOSED = sql`case when r.opens_at > now() or r.closes_at <= now() then ${plainVerdict('send_window')} end`;

/**
 * A step of a sequence: ended, left or held by its enrollment, whose row it shares, so that of a cancellation or a move and a send one is first;
 * then the refusals of its recipient, then its send window, then the cap. Who may not get it is passed over without a row.
 */
export const STEP_GATE: SendGate = {
  verdict: sql`coalesce(nullif(coalesce((
      select case when e.status <> 'active' or e.moved_step >= r.step or ${IS_OVER} then ${plainVerdict('ended')}
                  when ${HELD_BY} is not null then ${holdVerdict(HELD_BY)} else ${OPEN} end
      from enrollments e join sequences s on s.id = e.sequence_id join projects p on p.id = e.project_id
      where e.id = r.enrollment_id for share of e), ${plainVerdict('ended')}), ${OPEN}), ${REFUSED}, ${CLOSED}, ${CAPPED})`,
  logsRefused: false,
};

/**
 * Why nothing of campaign `c` in project `p` may go at this moment; null when it may. `over`: its `endsAt` has come.
 */
export const CAMPAIGN_STOP: RawBuilder<CampaignStop | null> =
  sql.raw(`case when c.status <> 'sending' then 'ended' when c.paused then 'paused'
  ${PROJECT_HELD} when c.ends_at <= now() then 'over' end`);

/**
 * A recipient of a campaign, of whatever type: who has unsubscribed, bounced or was suppressed since the audience was resolved is passed
 * over without a row (docs/contract/campaigns.md 15), and so is who does not want its topic. Whether the campaign may send is asked once a batch.
 */
export const CAMPAIGN_GATE: SendGate = {
  verdict: refusal({
    projectId: sql`r.project_id`,
    email: sql`r.to_email`,
    type: sql`'marketing'`,
    contactId: sql`r.contact_id`,
    topic: TOPIC,
  }),
  logsRefused: false,
};
