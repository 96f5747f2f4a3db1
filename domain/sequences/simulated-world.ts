import { createJudge, type Judge, type LookedUpFacts } from '../conditions/judge.ts';
import type { WalkEnd } from './end-reason.ts';
import { endStatus } from './end-reason.ts';
import { type Digest, gatheringKey, latestShown } from './gathered.ts';
import { hasDigest, type SequenceGraph, triggerTypes } from './graph.ts';
import type { Arrival } from './kinds/kind.ts';
import type { ThrottleConfig } from './kinds/throttle-config.ts';
import { enrollRefusal } from './reentry.ts';
import type { EventPattern } from './schema-parts.ts';
import { type MailFacts, SimulatedMails } from './simulated-mails.ts';
import { passesAt } from './throttle-rule.ts';
import { SIMULATION_LIMITS, WalkBudget } from './walk-budget.ts';
import type { WalkContact, WalkContext } from './walk-context.ts';

/** An event that comes in the time of a simulation. */
export interface SimulatedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What runs of a simulation find beside the graph: plain data. */
export interface WorldFacts {
  readonly graph: SequenceGraph;
  readonly facts: LookedUpFacts;
  readonly mails: MailFacts;
  readonly now: Date;
  /** All that come, in the order of their instants; absent: one, which begins the run and comes again at its first wait. */
  readonly events?: readonly SimulatedEvent[];
  /** When earlier runs of the contact passed its throttles, by node. Epoch milliseconds. */
  readonly passes?: Readonly<Record<string, readonly number[]>>;
}

interface Gathered {
  readonly digest: Digest;
  readonly closesAt: number;
  /** The event that ends the run meanwhile. */
  readonly goal: SimulatedEvent | undefined;
}

/** A run of the simulation, which goes through before the next one begins. */
interface LatestRun {
  readonly startedAt: number;
  endedAt: number;
}

/** What the runs of one simulation share: time, mails, events and passes, by the rules of real runs. */
export class SimulatedWorld {
  readonly mails: SimulatedMails;
  readonly budget = new WalkBudget(SIMULATION_LIMITS);
  readonly hasEvents: boolean;
  readonly #given: WorldFacts;
  readonly #events: readonly SimulatedEvent[];
  /** The events that a digest has, or that began a run, or were refused. */
  readonly #settled = new Set<SimulatedEvent>();
  readonly #passes: Map<string, number[]>;
  #context: (WalkContext & { readonly contact: WalkContact }) | undefined;
  #judge: Judge;
  #event: SimulatedEvent['data'] | undefined;
  #digest: Digest | undefined;
  #latest: LatestRun | undefined;
  #runs = 0;
  /** What the first digest of the run has from its beginning on. */
  #own: SimulatedEvent | undefined;
  /** What ended a wait of the run last. */
  #wentOnBy: SimulatedEvent | undefined;

  constructor(given: WorldFacts) {
    const { graph, facts, mails, now, events, passes = {} } = given;
    this.#given = given;
    this.#events = events ?? [];
    this.hasEvents = events !== undefined;
    this.#passes = new Map(Object.entries(passes).map(([nodeId, instants]) => [nodeId, [...instants]]));
    this.mails = new SimulatedMails(mails, graph, now);
    this.#judge = createJudge(facts, undefined);
  }

  /** By the latest event of the run. */
  readonly judge: Judge = (...asked) => this.#judge(...asked);

  /** Payload of the latest event of the run. */
  get event(): SimulatedEvent['data'] | undefined {
    return this.#event;
  }

  /** The digest that the run has left last. */
  get digest(): Digest | undefined {
    return this.#digest;
  }

  noteDigest(digest: Digest): void {
    this.#digest = digest;
  }

  noteEvent(event: SimulatedEvent['data'] | undefined): void {
    this.#event = event;
    this.#judge = createJudge(this.#given.facts, event);
  }

  /** An event ends a wait of the run, which its first digest then has in place of the one before, unless it begins a run of its own. */
  goOnBy(event: SimulatedEvent): void {
    const { graph } = this.#given;
    this.noteEvent(event.data);
    this.#wentOnBy = event;
    // One that triggers the sequence gathers among those that were kept.
    const isOwn = graph.reentry !== 'always' && triggerTypes(graph).includes(event.type) && !this.#triggers(event);
    this.#own = isOwn ? event : undefined;
  }

  /** A run begins, by this event if it is by one. */
  begin(
    by: SimulatedEvent | undefined,
    context: WalkContext & { readonly contact: WalkContact },
    event: SimulatedEvent['data'] | undefined,
  ): void {
    const { graph, now } = this.#given;
    const startedAt = by?.at ?? now.getTime();
    this.#context = context;
    this.#digest = undefined;
    this.noteEvent(event);
    this.#wentOnBy = undefined;
    this.#own = by && triggerTypes(graph).includes(by.type) ? by : undefined;
    this.#latest = { startedAt, endedAt: startedAt };
    this.#runs++;
    this.mails.begin(startedAt);
  }

  end(endedBy: WalkEnd): void {
    if (!this.#latest) return;
    this.#latest.endedAt = this.mails.now.getTime();
    if (endStatus(endedBy) === 'completed') return;
    // What was kept goes with the run.
    for (const event of this.#events) if (event.at < this.#latest.endedAt) this.#settled.add(event);
  }

  /** The event that begins the next run, at the instant at which it does; undefined: none does. */
  nextToEnroll(contact: WalkContact): SimulatedEvent | undefined {
    const { graph } = this.#given;
    for (const event of this.#events) {
      if (this.#settled.has(event) || !this.#triggers(event, contact)) continue;
      this.#settled.add(event);
      const at = this.#enrollsAt(event);
      if (at === undefined) continue;
      const earlier = { active: 0, ended: this.#runs, lastStartedAt: this.#latest ? new Date(this.#latest.startedAt) : null };
      const candidate = { sequenceStatus: 'active', contactStatus: contact.status, earlier };
      // The first run was let in before.
      if (this.#runs === 0 || enrollRefusal(graph, candidate, new Date(at)) === undefined) return { ...event, at };
    }
    return undefined;
  }

  /** One at a time: where the graph gathers events, those that come meanwhile are kept for the next run. */
  #enrollsAt({ at }: SimulatedEvent): number | undefined {
    const latest = this.#latest;
    const { graph } = this.#given;
    if (!latest || graph.reentry === 'always' || at >= latest.endedAt) return at;
    return hasDigest(graph) ? latest.endedAt : undefined;
  }

  /** What gathers from now on, with what was kept; the goal of the graph may end it. */
  gather({ until, key: path, max = Number.POSITIVE_INFINITY }: Extract<Arrival, { does: 'gather' }>): Gathered {
    const { graph } = this.#given;
    const opensAt = this.mails.now.getTime();
    const closes = until.getTime();
    const key = gatheringKey(this.#event ?? {}, path);
    const gathered: SimulatedEvent[] = this.#own ? [this.#own] : [];
    this.#own = undefined;
    let closesAt = gathered.length >= max ? opensAt : closes;
    let goal: SimulatedEvent | undefined;
    for (const event of this.#events) {
      if (event.at > closesAt || gathered.length >= max) break;
      const isBefore = event.at < opensAt;
      if (!isBefore && this.#fits(graph.goal?.event, event)) {
        goal = event;
        closesAt = event.at;
        break;
      }
      if (this.#settled.has(event) || (graph.reentry === 'always' && (isBefore || event === this.#wentOnBy))) continue;
      if (gatheringKey(event.data, path) !== key || !this.#triggers(event)) continue;
      this.#settled.add(event);
      gathered.push(event);
      if (gathered.length >= max) closesAt = Math.max(opensAt, event.at);
    }
    const events = latestShown(gathered).map(({ type, data, at }) => ({ type, data, at: new Date(at).toISOString() }));
    return { digest: { count: gathered.length, events }, closesAt, goal };
  }

  /** The event that ends a wait until then, or the run by its goal; undefined: none does. */
  awaited(
    pattern: EventPattern | undefined,
    until: number,
  ): { readonly event: SimulatedEvent; readonly meets: 'goal' | 'wait' } | undefined {
    const from = this.mails.now.getTime();
    for (const event of this.#events) {
      if (event.at <= from || event.at > until) continue;
      if (this.#fits(this.#given.graph.goal?.event, event)) return { event, meets: 'goal' };
      if (this.#fits(pattern, event)) return { event, meets: 'wait' };
    }
    return undefined;
  }

  /** The event that ends a run by its goal that waits until then. */
  goalUntil(until: number): SimulatedEvent | undefined {
    return this.awaited(undefined, until)?.event;
  }

  /** When the next run may pass a throttle. Epoch milliseconds. */
  passesAt(nodeId: string, config: ThrottleConfig): number {
    return passesAt(config, this.#passes.get(nodeId) ?? [], this.mails.now.getTime());
  }

  notePass(nodeId: string, at: number): void {
    this.#passes.set(nodeId, [...(this.#passes.get(nodeId) ?? []), at]);
  }

  #triggers(event: SimulatedEvent, contact?: WalkContact): boolean {
    return this.#given.graph.triggers.some(
      (trigger) => trigger.enabled && trigger.kind === 'event' && this.#fits(trigger.config, event, contact),
    );
  }

  #fits(pattern: EventPattern | undefined, { type, data }: SimulatedEvent, contact = this.#context?.contact): boolean {
    if (!pattern || pattern.type !== type) return false;
    const { match } = pattern;
    if (!match) return true;
    return contact !== undefined && this.budget.charge(() => createJudge(this.#given.facts, data)(contact, match));
  }
}
