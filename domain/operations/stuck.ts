import { ENDED_CAMPAIGN_STATUSES } from '../campaigns/campaign.ts';
import { grouped } from '../shown-text.ts';

/**
 * What keeps a row open for longer than its plan says, in words for operators. What is held by design is not stuck: a paused sequence or
 * campaign, a suspended project, an unverified owner, a disabled endpoint. An outage of the mail provider is waited out by design, too, but
 * one that lasts is named, since it takes a person to end it.
 */

/** A wait or an attempt whose instant is this long past should have been gone on from. Milliseconds. */
export const OVERDUE_MS = 10 * 60_000;
/** A step, and a campaign that sends, should have moved on by then. */
export const NO_PROGRESS_MS = 30 * 60_000;
export const LONG_OUTAGE_MS = 60 * 60_000;
/** More attempts than this of one activity, or of one message to Temporal, are no passing failure. */
export const MOST_ATTEMPTS_EXPECTED = 5;

/** Many times the pace of reconcile (domain/operations/reconcile-pace.ts). */
const PASS_OVERDUE_MS = 10 * 60_000;

export interface Stuck {
  readonly since: Date;
  /** What is wrong and what to do. */
  readonly problem: string;
}

export interface OverdueEnrollment {
  readonly waiting_for: string | null;
  readonly wakes_at: Date | null;
  readonly current_node_id: string | null;
  /** Since when it is at its node. */
  readonly since: Date;
  /** How long the provider has been away, in milliseconds. */
  readonly outage_ms: number;
}

/**
 * What reconcile does about a row whose workflow is missing or closed, or that it does nothing now. `passAgeSeconds`: since its last finished
 * pass, null before the first. `does`: `starts it within minutes`.
 */
export function reconcileHelp(passAgeSeconds: number | null, does: string): string {
  if (passAgeSeconds !== null && passAgeSeconds * 1000 < PASS_OVERDUE_MS) return `a worker that runs ${does}`;
  const since = passAgeSeconds === null ? '' : ` for ${lasting(passAgeSeconds * 1000)}`;
  return `reconcile, which ${does}, has finished no pass${since}: see that workers run, and that the schedule everpost-reconcile is not paused`;
}

const CHECK_WORKERS = 'see that workers run and keep up';
const CHECK_PROVIDER = 'see the provider and EMAIL_PROVIDER_URL; it tries again by itself, or at once with: workflow retry';

/** One that was found to be open for longer than its plan says. */
export function enrollmentStuck(row: OverdueEnrollment, now: Date): Stuck {
  const { waiting_for, wakes_at, since, outage_ms } = row;
  const node = row.current_node_id ?? 'its first node';
  if (wakes_at && isPast(wakes_at, OVERDUE_MS, now))
    return {
      since: wakes_at,
      problem: `at ${node} it waits for ${waiting_for ?? 'its next step'} until ${iso(wakes_at)}, which is over; ${CHECK_WORKERS}, then: workflow retry`,
    };
  if (waiting_for !== null)
    return {
      since: new Date(now.getTime() - outage_ms),
      problem: `at ${node} the mail provider has been away for ${lasting(outage_ms)}; ${CHECK_PROVIDER}`,
    };
  return { since, problem: `at ${node} a step has been under way for ${lasting(now.getTime() - since.getTime())}; ${CHECK_WORKERS}` };
}

export interface OpenCampaign {
  readonly status: string;
  readonly paused: boolean;
  /** What keeps its project from sending; null when nothing does. */
  readonly held_by: string | null;
  readonly created_at: Date;
  readonly scheduled_at: Date | null;
  readonly started_at: Date | null;
  readonly ends_at: Date | null;
  readonly first_outage_at: Date | null;
  readonly retry_at: Date | null;
  /** Of its latest mail; null before the first. */
  readonly last_sent_at: Date | null;
  /** When its next page may be taken; null when none waits. */
  readonly next_page_at: Date | null;
  /** While the rest waits for the winner of a test: until when it does. */
  readonly decides_at: Date | null;
}

/** Those that have ended are open while mails of them are in flight. */
const BEGUN: readonly string[] = ['sending', ...ENDED_CAMPAIGN_STATUSES];

/** Undefined while it goes as planned. */
export function campaignStuck(row: OpenCampaign, now: Date): Stuck | undefined {
  const { status, scheduled_at, created_at, ends_at } = row;
  const due = (at: Date, what: string): Stuck => ({
    since: at,
    problem: `${what} ${iso(at)}, which is over; ${CHECK_WORKERS}, then: workflow retry`,
  });
  if (ends_at && isPast(ends_at, NO_PROGRESS_MS, now)) return due(ends_at, 'it is open still, and ends at');
  if (row.paused) return undefined;
  if (status === 'scheduled' && scheduled_at && isPast(scheduled_at, OVERDUE_MS, now)) return due(scheduled_at, 'it is scheduled for');
  const queuedAt = scheduled_at && scheduled_at > created_at ? scheduled_at : created_at;
  if (status === 'queued' && isPast(queuedAt, NO_PROGRESS_MS, now))
    return { since: queuedAt, problem: `it has been queued for ${lasting(now.getTime() - queuedAt.getTime())}; ${CHECK_WORKERS}` };
  if (row.held_by !== null || !BEGUN.includes(status)) return undefined;
  return sendingStuck(row, now);
}

function sendingStuck(
  { started_at, created_at, first_outage_at, retry_at, last_sent_at, next_page_at, decides_at }: OpenCampaign,
  now: Date,
): Stuck | undefined {
  if (first_outage_at && isPast(first_outage_at, LONG_OUTAGE_MS, now))
    return {
      since: first_outage_at,
      problem: `the mail provider has been away for ${lasting(now.getTime() - first_outage_at.getTime())}; ${CHECK_PROVIDER}`,
    };
  const planned = [started_at ?? created_at, last_sent_at, retry_at, next_page_at, decides_at].flatMap((at) => at ?? []);
  const since = new Date(Math.max(...planned.map((at) => at.getTime())));
  if (!isPast(since, NO_PROGRESS_MS, now)) return undefined;
  return {
    since,
    problem: `nothing has been sent for ${lasting(now.getTime() - since.getTime())}; ${CHECK_WORKERS}, then: workflow retry`,
  };
}

/** What an endpoint made of the last attempt that is known to have reached out to it. */
export interface EndpointAnswer {
  readonly endpoint_id: string;
  readonly url: string;
  /** A status, or why none came: `timeout`, `network`. Null where it has answered nothing lately. */
  readonly answered: string | null;
}

/** Of one endpoint, the delivery that was due first. */
export interface OverdueDeliveries extends EndpointAnswer {
  readonly attempts: number;
  readonly next_attempt_at: Date;
  /** How many are overdue, that one among them, and how many of these have had no attempt. */
  readonly count: number;
  readonly untried: number;
}

/** Those that were found to be overdue: what keeps one keeps them all. */
export function deliveriesStuck({ attempts, next_attempt_at, count, untried, ...endpoint }: OverdueDeliveries): Stuck {
  const untriedOnes = untried === 0 ? '' : `, ${grouped(untried)} of them not attempted yet`;
  const many = count === 1 ? '' : `${grouped(count)} deliveries to one endpoint are overdue${untriedOnes}; of this one, due first, `;
  const help = endpointHelp(endpoint, untried < count) ?? `${CHECK_WORKERS}, then: workflow retry`;
  return { since: next_attempt_at, problem: `${many}attempt ${attempts + 1} was due at ${iso(next_attempt_at)}; ${help}` };
}

export interface OverdueBurst extends EndpointAnswer {
  readonly waiting: number;
  /** Of the first of them. */
  readonly since: Date;
}

/** The burst of an endpoint for which first attempts have waited too long. */
export function burstStuck({ waiting, since, ...endpoint }: OverdueBurst): Stuck {
  return {
    since,
    problem: `${grouped(waiting)} first attempts wait in this burst, the first since ${iso(since)}; ${endpointHelp(endpoint, false) ?? CHECK_WORKERS}`,
  };
}

/**
 * Undefined where the endpoint is not the cause: it has taken the last attempt, or none was made. `isTried`: one of those asked about has had
 * an attempt, so that the answer may be theirs.
 */
function endpointHelp({ endpoint_id, url, answered }: EndpointAnswer, isTried: boolean): string | undefined {
  if (answered === null || /^2\d\d$/.test(answered)) return undefined;
  const toOthers = isTried ? '' : ' to other deliveries';
  return `${new URL(url).host} (endpoint ${endpoint_id}) last answered ${answered}${toOthers}: tell the project, or disable the endpoint`;
}

function isPast(at: Date, byMs: number, now: Date): boolean {
  return at.getTime() < now.getTime() - byMs;
}

function iso(at: Date): string {
  return at.toISOString();
}

/** `90 min`, `5 h`, `3 d`. */
function lasting(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** Of mails that were to go at an instant, the first that nobody has looked at since. */
export function scheduledStuck(dueAt: Date): Stuck {
  return { since: dueAt, problem: `an email was to go at ${iso(dueAt)}, which is over; ${CHECK_WORKERS}, then: workflow retry` };
}
