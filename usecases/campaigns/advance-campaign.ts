import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { dropBatches } from '../../db/queries/campaigns/batch-ends.ts';
import { type BatchesLeft, batchesLeft, retryBatchesNow } from '../../db/queries/campaigns/campaign-batches.ts';
import { awaitsApproval } from '../../db/queries/campaigns/campaign-drafts.ts';
import { changeCampaign, countSettled, lockCampaign, sumCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { awaitsWinner, releaseRest } from '../../db/queries/campaigns/held-batches.ts';
import { databaseNow } from '../../db/queries/operations/database-now.ts';
import { projectHeldBy } from '../../db/queries/projects/projects.ts';
import { type CampaignReason, isWaitingReason, NOT_PAUSED, WITHIN_ALLOWANCE } from '../../domain/campaigns/campaign.ts';
import { pausedWords } from '../../domain/campaigns/campaign-limits.ts';
import { type CampaignCounts, SETTLING_COUNTERS, settledOf } from '../../domain/campaigns/counters.ts';
import { instantIn } from '../../domain/campaigns/local-schedule.ts';
import { Refusal } from '../../domain/errors.ts';
import { windowWait, zoneOfWindow } from '../../domain/send-window.ts';
import { type AllowanceHolder, holderWords, nearestMidnight } from '../../domain/sends/allowance.ts';
import { IN_FLIGHT_MS, OUTCOME_UNKNOWN_AFTER_MS, outagePauseMs } from '../../domain/sends/submission-times.ts';
import { capitalized, grouped, shownInstant, shownWords } from '../../domain/shown-text.ts';
import { checkTemplate } from '../../sending/check.ts';
import type { TemplateRegistry } from '../../sending/compose/template-registry.ts';
import type { LeftBatches } from '../../sending/left-batches.ts';
import type { CampaignCommand, CampaignInput, CampaignReport } from '../../workflows/contracts.ts';
import { type LimitDeps, pauseIfBeyond } from './campaign-limits.ts';
import { decideByTest } from './decide-test.ts';
import { finishCampaign, isAwayTooLong } from './finish-campaign.ts';

export interface AdvanceDeps extends LimitDeps {
  readonly registry: TemplateRegistry;
  readonly leftBatches: LeftBatches;
}

interface Asked extends CampaignInput {
  /** An operator wants no more waiting for the provider. */
  readonly retryNow: boolean;
  readonly report?: CampaignReport;
}

/** Senders of one campaign: enough to have the next batches ready while others are submitted, on several workers. */
const SENDERS = 4;
/** Batches in flight are looked at so often: nobody tells of their end when the run that had them sent was reset. */
const IN_FLIGHT_RECHECK_MS = 5_000;
const HOUR_MS = 3_600_000;
/** A campaign that is held looks so often whether it may go on. */
const HELD_RECHECK_MS = 60_000;
/** A campaign that waits for the next day looks so often whether its limits are others now: a provider's are changed by a restart, of which nobody tells. */
const LIMITS_RECHECK_MS = 600_000;

/** What a campaign does next, by what stands in the database; records what its senders met. */
export async function advanceCampaign(em: EntityManager, deps: AdvanceDeps, asked: Asked): Promise<CampaignCommand> {
  const { campaignId } = asked;
  return em.transactional(async (tx) => {
    const campaign = await lockCampaign(tx, campaignId);
    if (!campaign) return { do: 'end', status: 'gone', details: 'The campaign is gone.' };
    return new Advance(tx, deps, campaign, asked, await databaseNow(tx)).next();
  });
}

interface Left extends BatchesLeft {
  readonly counts: CampaignCounts;
}

class Advance {
  readonly #tx: EntityManager;
  readonly #deps: AdvanceDeps;
  readonly #asked: Asked;
  /** PostgreSQL's, as the gates of the senders have it: a campaign that is over for one is over for the other. */
  readonly #now: Date;
  #campaign: CampaignHead;

  constructor(tx: EntityManager, deps: AdvanceDeps, campaign: CampaignHead, asked: Asked, now: Date) {
    this.#tx = tx;
    this.#deps = deps;
    this.#campaign = campaign;
    this.#asked = asked;
    this.#now = now;
  }

  async next(): Promise<CampaignCommand> {
    await this.#settleLeftBatches();
    const { status, scheduled_at, resolved_at } = this.#campaign;
    switch (status) {
      case 'draft':
        return { do: 'end', status, details: 'It is a draft: nobody has launched it.' };
      case 'scheduled':
        if (this.#isOver()) return this.#start();
        if (this.#campaign.paused) return this.#wait('paused', null, 'paused');
        if (scheduled_at && scheduled_at > this.#now)
          return this.#wait('waiting', scheduled_at, `scheduled for ${shownInstant(scheduled_at)}`);
        if (await awaitsApproval(this.#tx, this.#campaign.id))
          return this.#wait('held', new Date(this.#now.getTime() + HELD_RECHECK_MS), 'held: changed, and not approved since');
        return { do: 'resolve', details: 'Finding out who gets it.' };
      case 'queued':
        if (this.#isOver()) return this.#start();
        if (this.#campaign.paused) return this.#wait('paused', null, 'paused');
        return resolved_at ? this.#start() : { do: 'resolve', details: 'Finding out who gets it.' };
      case 'sending':
        return this.#send();
      case 'sent':
      case 'cancelled':
      case 'failed':
        return this.#end(status);
      default:
        return status satisfies never;
    }
  }

  /** Mails in flight are settled by time. */
  async #settleLeftBatches(): Promise<void> {
    await this.#deps.leftBatches.settle(this.#tx, this.#campaign.id, { ageMs: this.#outcomeUnknownAfterMs(), mayWait: true });
  }

  /** Whether it can be sent at all is asked once; what is published then is what everybody gets (docs/contract/campaigns.md 16). */
  async #start(): Promise<CampaignCommand> {
    const {
      id,
      project_id: projectId,
      template,
      brand_id: brand,
      has_own_subject: hasOwnSubject,
      resolved_at,
      ab_decision: decided,
    } = this.#campaign;
    if (this.#isOver()) {
      // Those who were only counted have no batches that could be dropped.
      if (!resolved_at) await countSettled(this.#tx, id, 'skipped', this.#campaign.total_recipients);
      await this.#change({ status: 'sending', started_at: this.#now });
      return this.#send();
    }
    const heldBy = await projectHeldBy(this.#tx, projectId);
    if (heldBy) return this.#fail(heldBy);
    try {
      const entry = await this.#deps.registry.findBegun(this.#tx, projectId, template);
      if (!entry) return this.#fail('unknown_template');
      const { subject, publishedVersion, languages } = await checkTemplate(this.#tx, { projectId, entry, brand });
      await this.#change({
        status: 'sending',
        started_at: this.#now,
        published_version: publishedVersion,
        languages,
        ...(hasOwnSubject ? {} : { subject }),
      });
      // Somebody has chosen before there were recipients.
      if (decided) await releaseRest(this.#tx, id, decided.winner);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return this.#fail(error.code as CampaignReason);
    }
    return this.#send();
  }

  async #fail(reason: CampaignReason): Promise<CampaignCommand> {
    await dropBatches(this.#tx, this.#campaign.id, 'ended');
    await countSettled(this.#tx, this.#campaign.id, 'skipped', this.#campaign.total_recipients);
    await this.#change({ status: 'failed', reason });
    return this.#end('failed');
  }

  async #send(): Promise<CampaignCommand> {
    await this.#takeReport();
    const isOver = this.#isOver();
    if (!isOver) await this.#pauseIfBeyond();
    const { id, project_id: projectId, paused } = this.#campaign;
    // Only the time in which it tries counts as an outage: docs/contract/campaigns.md 18.
    const heldBy = isOver ? undefined : paused ? 'paused' : await projectHeldBy(this.#tx, projectId);
    if (heldBy) {
      await this.#endOutage();
      // It waits for nothing but to be let go on.
      await this.#endWaiting();
    }
    await this.#beginDay();
    const isTooLong = isAwayTooLong(this.#campaign, this.#now);
    if (isOver || isTooLong) {
      await countSettled(this.#tx, id, 'skipped', await dropBatches(this.#tx, id, 'ended'));
      await this.#change({ reason: isOver ? 'ends_at_reached' : 'provider_unavailable', ...NOT_PAUSED });
    }
    if (!isOver && !isTooLong && !heldBy) {
      const waiting = await this.#decideTest();
      if (waiting) return waiting;
    }
    const left = await this.#batchesLeft();
    if (left.nextAt === null) return this.#finish();
    if (isOver || isTooLong) return this.#waitForBatches(left);
    if (heldBy === 'paused') return this.#wait('paused', null, this.#whyPaused(), left);
    if (heldBy) return this.#wait('held', new Date(this.#now.getTime() + HELD_RECHECK_MS), `held: ${heldBy}`, left);
    await this.#endDay(left);
    const { retry_at, allowance } = this.#campaign;
    if (retry_at && allowance) return this.#waitForDay(allowance, retry_at, left);
    if (retry_at && retry_at > this.#now)
      return this.#wait('retrying', retry_at, `the provider is away${this.#said()}; next try ${shownInstant(retry_at)}`, left);
    if (left.available === 0) return this.#waitForBatches(left);
    if (this.#campaign.reason !== 'receiver_pace') await this.#endWaiting();
    const { rate_per_second: rate, next_page_at } = this.#campaign;
    const hasLeftItsPlace = this.#asked.report?.resumeInMs !== undefined;
    if (hasLeftItsPlace && next_page_at && next_page_at > this.#now)
      return this.#wait('sending', next_page_at, `${rate} a second at most`, left);
    const senders = rate ? 1 : Math.min(SENDERS, left.available);
    return {
      do: 'send',
      lanes: senders,
      summary: `sending: ${this.#done(left)}${this.#rate('; ')}`,
      // Written once a turn of the senders, and for ever where the run is terminated in it.
      details: `Sending: ${this.#progress(left)} as of ${shownInstant(this.#now)}${this.#rate(', ')}. GET /campaigns/:id has the present count.`,
    };
  }

  /** Once the mails of a test have gone the rest waits for the decision, and goes when that is due. */
  async #decideTest(): Promise<CampaignCommand | undefined> {
    const { id, ab_test: test, ab_decision: decided } = this.#campaign;
    if (!test || decided || !(await awaitsWinner(this.#tx, id))) return undefined;
    // What held up the last mails of the test does not hold up the rest.
    await this.#endOutage();
    await this.#endWaiting();
    const { afterHours } = test;
    if (this.#campaign.decides_at === null && afterHours !== null)
      await this.#change({ decides_at: new Date(this.#now.getTime() + afterHours * HOUR_MS) });
    const { decides_at: decidesAt } = this.#campaign;
    if (decidesAt && decidesAt <= this.#now) {
      this.#campaign = { ...this.#campaign, ab_decision: await decideByTest(this.#tx, this.#campaign, test, this.#now) };
      return undefined;
    }
    const by = test.decideBy === 'hand' ? 'a choice' : `the test by ${test.decideBy}`;
    const when = decidesAt ? `, which is decided ${shownInstant(decidesAt)}` : '';
    return this.#wait('waiting', decidesAt, `the rest waits for ${by}${when}`, await this.#batchesLeft());
  }

  /** Once the allowance of a day is used, all that is left waits for the next one; unless some of it goes by another provider. */
  async #endDay(left: Left): Promise<void> {
    const { allowance, sent = 0, away } = this.#asked.report ?? {};
    if (!allowance || away || (sent > 0 && left.available > 0)) return;
    await this.#endOutage();
    const retry_at = nearestMidnight(new Date(this.#now.getTime() + allowance.retryAfterSeconds * 1_000));
    await this.#change({ reason: 'allowance_used', retry_at, allowance: allowance.holder });
  }

  /** It looks again on the next day, and whenever it is woken before: a limit may have been changed. What was set aside goes with the rest. */
  async #beginDay(): Promise<void> {
    if (!this.#campaign.allowance) return;
    await retryBatchesNow(this.#tx, this.#campaign.id);
    await this.#change(WITHIN_ALLOWANCE);
  }

  #waitForDay(allowance: AllowanceHolder, until: Date, left: Left): CampaignCommand {
    const againMs = left.open > 0 ? IN_FLIGHT_RECHECK_MS : LIMITS_RECHECK_MS;
    const at = new Date(Math.min(until.getTime(), this.#now.getTime() + againMs));
    const summary = `today's allowance of ${holderWords(allowance)} is used; goes on ${shownInstant(until)}`;
    return this.#wait('waiting', at, summary, left);
  }

  /** Nothing can be taken now: batches are in flight, or wait for the provider to take their mails. */
  async #waitForBatches(left: Left): Promise<CampaignCommand> {
    const nextAt = (left.nextAt as Date).getTime();
    const recheckAt = this.#now.getTime() + IN_FLIGHT_RECHECK_MS;
    // What is over, and not settled, waits for a machine that may know more of it.
    const until = new Date(!left.isInFlight ? nextAt : nextAt > this.#now.getTime() ? Math.min(nextAt, recheckAt) : recheckAt);
    if (left.isInFlight) return this.#wait('sending', until, `emails in flight; looks again ${shownInstant(until)}`, left);
    if (left.zone !== null) return this.#waitForZone(left.zone, until, left);
    const isPaced = !left.wasAway;
    // From here on nothing else comes: it says so until the last has gone.
    if (isPaced && this.#campaign.reason === null) await this.#change({ reason: 'receiver_pace' });
    const what = isPaced ? 'the rest waits for the pace of its receivers' : 'the provider wants the rest later';
    return this.#wait('retrying', until, `${what}; looks again ${shownInstant(until)}`, left);
  }

  /** Until the clocks of those who come next show the time, or their window opens. */
  async #waitForZone(zone: string, until: Date, left: Left): Promise<CampaignCommand> {
    const { local_schedule: local, window_in_force: window } = this.#campaign;
    const isTheirTime = local && instantIn(zone || local.fallback, local) >= until;
    if (this.#campaign.reason === null) await this.#change({ reason: !window || isTheirTime ? 'local_time' : 'send_window' });
    if (!window || isTheirTime) {
      const where = zone === '' ? `${local?.fallback}, of whoever has no zone` : zone;
      return this.#wait('waiting', until, `waits for ${local?.at} in ${where}, at ${shownInstant(until)}`, left);
    }
    const whose = zone === '' && window.timezone === 'contact' ? ', of whoever has no zone' : '';
    return this.#wait(
      'waiting',
      until,
      `${windowWait(window, zoneOfWindow(window, zone || null))}${whose}, at ${shownInstant(until)}`,
      left,
    );
  }

  async #endWaiting(): Promise<void> {
    if (isWaitingReason(this.#campaign.reason)) await this.#change({ reason: null });
  }

  async #pauseIfBeyond(): Promise<void> {
    const paused_reason = await pauseIfBeyond(this.#tx, this.#deps, this.#campaign);
    if (paused_reason) this.#campaign = { ...this.#campaign, paused: true, paused_reason };
  }

  #whyPaused(): string {
    const { paused_reason: reason } = this.#campaign;
    return reason ? `paused by itself: ${pausedWords(reason)}` : 'paused';
  }

  async #finish(): Promise<CampaignCommand> {
    this.#campaign = await finishCampaign(this.#tx, this.#campaign, this.#now);
    return this.#end('sent');
  }

  /** A cancelled campaign ends when the mails in flight have their outcome. */
  async #end(status: 'sent' | 'cancelled' | 'failed'): Promise<CampaignCommand> {
    const left = await this.#batchesLeft();
    if (left.open > 0) return this.#waitForBatches(left);
    const reason = this.#campaign.reason ? ` (${this.#campaign.reason})` : '';
    const settled = SETTLING_COUNTERS.map((counter) => `${grouped(left.counts[counter])} ${counter}`).join(', ');
    return { do: 'end', status, details: `Ended: ${status}${reason}; ${grouped(this.#campaign.total_recipients)} recipients: ${settled}.` };
  }

  async #takeReport(): Promise<void> {
    const { report, retryNow } = this.#asked;
    const { id, outages, first_outage_at } = this.#campaign;
    if (report && (report.sent > 0 || (report.failed > 0 && !report.away))) await this.#endOutage();
    else if (report?.away) {
      const retryAt = new Date(this.#now.getTime() + outagePauseMs(outages, report.away.retryAfterSeconds));
      await this.#change({
        outages: outages + 1,
        first_outage_at: first_outage_at ?? this.#now,
        retry_at: retryAt,
        reason: 'provider_unavailable',
      });
    }
    // Senders of which one found the provider away while others got through: its batches wait, the rest goes on.
    if (retryNow) {
      await retryBatchesNow(this.#tx, id);
      await this.#change({ retry_at: null });
    }
  }

  /** The provider answers again, or nobody asks it. */
  async #endOutage(): Promise<void> {
    if (this.#campaign.outages > 0) await this.#change({ outages: 0, first_outage_at: null, retry_at: null, reason: null });
  }

  /** A cancellation waits only as long as a living process may still submit a mail, as the one by the API does. */
  #outcomeUnknownAfterMs(): number {
    return this.#campaign.status === 'cancelled' ? IN_FLIGHT_MS : OUTCOME_UNKNOWN_AFTER_MS;
  }

  #isOver(): boolean {
    const { ends_at } = this.#campaign;
    return ends_at !== null && ends_at <= this.#now;
  }

  #wait(state: Extract<CampaignCommand, { do: 'wait' }>['state'], until: Date | null, summary: string, left?: Left): CampaignCommand {
    // What ends by its time ends then, whatever it waits for.
    const { ends_at } = this.#campaign;
    const instants = [until, ends_at && ends_at > this.#now ? ends_at : null].flatMap((at) => at?.getTime() ?? []);
    const at = instants.length > 0 ? Math.min(...instants) : null;
    const pauseMs = at === null ? null : Math.max(1, at - this.#now.getTime());
    return { do: 'wait', state, pauseMs, summary, details: `${capitalized(summary)}; ${this.#progress(left)}.` };
  }

  #progress(left: Left | undefined): string {
    return left ? `${this.#done(left)} recipients done` : `${grouped(this.#campaign.total_recipients)} recipients`;
  }

  #done({ counts }: Left): string {
    return `${grouped(settledOf(counts))} of ${grouped(this.#campaign.total_recipients)}`;
  }

  /** What the provider said in the senders' last turn, behind what is said before. */
  #said(): string {
    const { away } = this.#asked.report ?? {};
    return away ? ` (${shownWords(away.message)})` : '';
  }

  /** Of the senders' last turn, behind what is said before; where that tells nothing yet, the rate that is asked for. */
  #rate(separator: string): string {
    const { sent = 0, seconds = 0, resumeInMs } = this.#asked.report ?? {};
    if (seconds > 0 && resumeInMs === undefined) return `${separator}${grouped(Math.round(sent / seconds))} a second`;
    const { rate_per_second: rate } = this.#campaign;
    return rate === null ? '' : `${separator}${grouped(rate)} a second`;
  }

  async #batchesLeft(): Promise<Left> {
    const { id } = this.#campaign;
    const counts = await sumCampaignCounts(this.#tx, id);
    return { ...(await batchesLeft(this.#tx, id, { most: SENDERS, outcomeUnknownAfterMs: this.#outcomeUnknownAfterMs() })), counts };
  }

  async #change(change: Parameters<typeof changeCampaign>[2]): Promise<void> {
    await changeCampaign(this.#tx, this.#campaign.id, change);
    this.#campaign = { ...this.#campaign, ...change };
  }
}
