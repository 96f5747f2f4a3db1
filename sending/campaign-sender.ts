import type { CampaignRow } from '../db/entities/index.ts';
import type { EntityManager } from '../db/orm.ts';
import { claimBatches, claimPacedBatch, giveBack, type HeldBatch, waitForOpening } from '../db/queries/campaigns/campaign-batches.ts';
import { findCampaignById } from '../db/queries/campaigns/campaigns.ts';
import { testBounds, triedArms } from '../domain/campaigns/ab-test.ts';
import { type CampaignVariant, variantsOf } from '../domain/campaigns/campaign.ts';
import { closedUntil } from '../domain/campaigns/local-schedule.ts';
import { openingAt, zoneOfWindow } from '../domain/send-window.ts';
import { detailsOfTopic } from '../domain/sends/send-details.ts';
import type { RegistryEntry } from '../domain/templates/registry-entry.ts';
import type { Release } from '../platform/slots.ts';
import type { CampaignReport } from '../workflows/contracts.ts';
import type { CampaignBatchOrder } from './campaign-batch.ts';
import type { TemplateRegistry } from './compose/template-registry.ts';
import type { InFlight, Leave } from './in-flight.ts';
import { laterMails, laterRule } from './later-mails.ts';
import type { PlacesInTurns } from './places-in-turns.ts';
import type { PinnedVersions } from './request.ts';
import type { Sending } from './sending.ts';
import type { ProviderAway } from './source.ts';
import type { RecipientRequest, RecipientResult } from './sources/campaign.ts';

/** What one sender did in its time. */
export interface SenderResult {
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
  /** No mail of a batch was taken, and all of them may be later. */
  readonly away: Pick<ProviderAway, 'message' | 'retryAfterSeconds'> | null;
  /** Mails wait for the next day, since this allowance is used. */
  readonly allowance?: CampaignReport['allowance'];
  /** Its rate lets it go on only then, and it has left its place to others meanwhile. */
  readonly resumeInMs?: number;
}

export interface SenderDeps {
  readonly em: EntityManager;
  readonly sending: Pick<Sending, 'sendCampaignBatch'>;
  readonly registry: TemplateRegistry;
  readonly inFlight: InFlight;
  readonly newId: () => string;
}

export const NOTHING_DONE: SenderResult = { sent: 0, failed: 0, skipped: 0, away: null };

/** Batches taken by one statement; they wait in this process, so they are few. */
const CLAIMED_AT_ONCE = 4;
/** Batches of one sender whose outcomes are not recorded yet: where they cannot be, it goes no further. */
const UNDER_WAY = 6;

/** Clocks of machines that work together do not differ by more. */
const CLOCKS_DIFFER_MS = 300_000;

/** False when no place may be held by one more that waits. */
export type WaitInPlace = (milliseconds: number, signal: AbortSignal) => Promise<boolean>;

/** Places that the senders of a process share. */
export interface SharedPlaces {
  readonly waitInPlace: WaitInPlace;
  /** In which the mails of a batch are made. */
  readonly making: PlacesInTurns;
}

/** Sends batches of one campaign, one sender of some. */
export class CampaignSender {
  readonly #deps: SenderDeps;
  #campaign: CampaignRow;
  readonly #isStopped: () => boolean;
  readonly #waitInPlace: WaitInPlace;
  readonly #making: PlacesInTurns;
  #variantOf: VariantOf | undefined;
  readonly #pinned: PinnedVersions;
  readonly #underWay = new Set<Promise<void>>();
  #failure: unknown;
  #isEnded = false;
  soFar = NOTHING_DONE;

  constructor(
    deps: SenderDeps,
    campaign: CampaignRow,
    { isStopped, waitInPlace, making }: SharedPlaces & { readonly isStopped: () => boolean },
  ) {
    this.#deps = deps;
    this.#campaign = campaign;
    this.#isStopped = isStopped;
    this.#waitInPlace = waitInPlace;
    this.#making = making;
    const { published_version: version, languages, subject } = campaign;
    this.#pinned = { version, languages, subject };
    this.#variantOf = variantOf(campaign);
  }

  async run(until: number, signal: AbortSignal): Promise<SenderResult> {
    const { em } = this.#deps;
    const { project_id, rate_per_second } = this.#campaign;
    let held: HeldBatch[] = [];
    let resumesAt: number | undefined;
    try {
      while (!this.#isEnded && !signal.aborted && performance.now() < until) {
        let nextAt: number | undefined;
        if (held.length === 0) {
          const claim = await this.#claim();
          held = await this.#withinWindow(claim.batches);
          // Others may be of people whose window is open.
          if (held.length === 0 && claim.batches.length > 0) continue;
          nextAt = claim.nextAt;
        }
        while (this.#underWay.size >= UNDER_WAY) await Promise.race(this.#underWay);
        const batch = held[0];
        if (batch) {
          const release = await this.#making.take(project_id, signal);
          if (!release) break;
          held.shift();
          this.#begin(batch, release, signal);
          if (!rate_per_second) continue;
        }
        // What is under way may come back as batches for later, but not now.
        if (nextAt === undefined) break;
        const pauseMs = nextAt - performance.now();
        if (pauseMs > 0 && !(await this.#waitInPlace(pauseMs, signal))) {
          resumesAt = nextAt;
          break;
        }
      }
    } finally {
      await Promise.all(held.map((batch) => giveBack(em, batch).catch(() => undefined)));
      await Promise.all(this.#underWay);
    }
    if (this.#failure) throw this.#failure;
    return resumesAt === undefined ? this.soFar : { ...this.soFar, resumeInMs: Math.max(0, resumesAt - performance.now()) };
  }

  /** `nextAt`: when its rate lets it have the next batch; undefined when there is none to wait for. */
  async #claim(): Promise<{ readonly batches: HeldBatch[]; readonly nextAt: number | undefined }> {
    const { em, newId } = this.#deps;
    const { id, rate_per_second } = this.#campaign;
    if (!rate_per_second) return { batches: await claimBatches(em, id, CLAIMED_AT_ONCE, newId()), nextAt: undefined };
    const { batch, pauseMs, hasMore } = await claimPacedBatch(em, id, newId());
    const isWorthWaiting = hasMore && (batch !== undefined || pauseMs > 0);
    return { batches: batch ? [batch] : [], nextAt: isWorthWaiting ? performance.now() + pauseMs : undefined };
  }

  /** Those whose people's window is open; the others wait for it. */
  async #withinWindow(batches: readonly HeldBatch[]): Promise<HeldBatch[]> {
    const { window_in_force: window } = this.#campaign;
    if (!window) return [...batches];
    const open: HeldBatch[] = [];
    for (const batch of batches) {
      // Who is to get it again was asked for by somebody.
      const until = batch.zone === null ? undefined : closedUntil(window, batch.zone, new Date());
      if (until) await waitForOpening(this.#deps.em, batch, until);
      else open.push(batch);
    }
    return open;
  }

  /** Makes its mails, and submits them when there is room: `release` gives the place back in which they are made. */
  #begin(batch: HeldBatch, release: Release, signal: AbortSignal): void {
    const { project_id } = this.#campaign;
    const mails = batch.contact_ids.length;
    let leave: Leave | undefined;
    const admitted = async (): Promise<boolean> => {
      leave = await this.#deps.inFlight.enter(project_id, mails, signal).catch(() => undefined);
      release();
      return leave !== undefined;
    };
    const work = this.#send(batch, { admitted, answered: (asked) => leave?.(mails - asked) })
      .catch((error: unknown) => {
        this.#isEnded = true;
        this.#failure ??= error;
      })
      .finally(() => {
        // Where nobody was let in, or nobody has told that it was answered.
        release();
        leave?.(0);
        this.#underWay.delete(work);
      });
    this.#underWay.add(work);
  }

  async #send(batch: HeldBatch, told: Pick<CampaignBatchOrder, 'admitted' | 'answered'>): Promise<void> {
    const { sending } = this.#deps;
    const entry = await this.#entry();
    await this.#learnWinner(batch);
    const results = await sending.sendCampaignBatch({
      batch,
      opening: openingOf(this.#campaign, batch),
      requests: batch.contact_ids.map((contactId, index) => this.#request(contactId, entry, mailAt(batch, index))),
      isStopped: this.#isStopped,
      laterRule: (results) => (this.#isStopped() ? { pauseMs: 0, wasAway: false } : laterRule(laterMails(results), batch.attempts)),
      ...told,
    });
    this.#count(results);
  }

  /** The rest of a test goes once it is decided what it gets, which may be since this sender began. */
  async #learnWinner({ contact_ids }: HeldBatch): Promise<void> {
    const { ab_test: test, ab_decision: decision } = this.#campaign;
    if (!test || decision) return;
    const isUnknown = (): boolean => contact_ids.some((id) => !this.#variantOf?.(id));
    if (!isUnknown()) return;
    this.#campaign = (await findCampaignById(this.#deps.em, this.#campaign.id)) ?? this.#campaign;
    this.#variantOf = variantOf(this.#campaign);
    if (isUnknown()) throw new Error('a batch of the rest was let go before it was decided what it gets');
  }

  #count(results: readonly RecipientResult[]): void {
    const { sent, failed, skipped, away, allowance } = this.soFar;
    const many = (state: RecipientResult['state']): number => results.filter((result) => result.state === state).length;
    const isStopped = results.some(({ state }) => state === 'stopped') || this.#isStopped();
    const later = laterMails(results);
    const [firstAway, firstAllowed] = isStopped ? [] : [later.away[0], later.allowed[0]];
    const isAway = firstAway !== undefined && many('sent') === 0;
    // Where some go by another provider the others are set aside, and the rest of the campaign goes on.
    if (isStopped || isAway || (firstAllowed && many('sent') === 0)) this.#isEnded = true;
    this.soFar = {
      sent: sent + many('sent'),
      failed: failed + many('failed'),
      skipped: skipped + (isStopped ? 0 : many('refused')),
      away: away ?? (isAway ? { message: firstAway.message, retryAfterSeconds: firstAway.retryAfterSeconds } : null),
      allowance:
        allowance ??
        (firstAllowed?.allowance && { holder: firstAllowed.allowance, retryAfterSeconds: firstAllowed.retryAfterSeconds ?? 0 }),
    };
  }

  /** Not one that was made under the same key, nor what it declared, after the campaign had begun: everybody gets the same (docs/contract/campaigns.md 16). */
  async #entry(): Promise<RegistryEntry | undefined> {
    const { em, registry } = this.#deps;
    const { project_id, template, started_at } = this.#campaign;
    const entry = await registry.findBegun(em, project_id, template, started_at ?? undefined);
    return entry?.own && started_at && entry.own.madeAt > started_at ? undefined : entry;
  }

  #request(
    contactId: string,
    entry: RegistryEntry | undefined,
    known: Pick<RecipientRequest, 'sendId' | 'maybeSubmittedAt'>,
  ): RecipientRequest {
    const { id, project_id, template, type, brand_id, subject, has_own_subject, topic, data, sandboxed } = this.#campaign;
    const variant = this.#variantOf?.(contactId);
    return {
      ...known,
      projectId: project_id,
      template,
      entry,
      recipient: { contactId },
      type,
      brand: brand_id,
      subject: variant?.arm.subject ?? (has_own_subject ? subject : undefined),
      pinned: this.#pinned,
      variant: variant?.counted,
      data,
      details: detailsOfTopic(topic),
      event: undefined,
      from: undefined,
      sourceId: id,
      isSandboxed: sandboxed,
      identity: { by: 'nothing' },
    };
  }
}

type VariantOf = ReturnType<typeof triedArms<CampaignVariant>>;

/** The arm of each contact, and what its mail is counted as; undefined: there are no arms. */
function variantOf({ id, variants, ab_test: test, test_bounds: bounds, ab_decision: decision }: CampaignRow): VariantOf | undefined {
  if (!variants) return undefined;
  if (test) return triedArms(id, { variants, bounds: bounds ?? testBounds(variants.length, test.share), winner: decision?.winner });
  const of = variantsOf(id, variants);
  return (contactId) => {
    const arm = of(contactId);
    return { arm, counted: arm.key };
  };
}

/** When the people of a batch may get it, as it stands now. */
function openingOf({ window_in_force: window }: CampaignRow, { zone: ofPeople }: HeldBatch): CampaignBatchOrder['opening'] {
  if (!window || ofPeople === null) return undefined;
  const zone = zoneOfWindow(window, ofPeople === '' ? null : ofPeople);
  const now = new Date();
  const opening = openingAt(window, zone, now);
  // PostgreSQL's clock may be behind that of this process, and show that it is not open yet.
  const isJustOpen = now.getTime() - opening.opensAt.getTime() < CLOCKS_DIFFER_MS;
  return { ...opening, next: isJustOpen ? opening.opensAt : openingAt(window, zone, opening.closesAt).opensAt };
}

/** Of a batch that was open before: its mails keep their ids. */
function mailAt({ send_ids, doubted_at }: HeldBatch, index: number): Pick<RecipientRequest, 'sendId' | 'maybeSubmittedAt'> {
  return { sendId: send_ids?.[index] ?? undefined, maybeSubmittedAt: doubted_at?.[index] ?? undefined };
}
