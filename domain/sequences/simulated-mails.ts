import { isWithoutMarketing } from '../contacts/contact.ts';
import { isTopicOn, type Topic } from '../contacts/topic.ts';
import { type SendWindow, windowInstant, windowOf, windowWait, zoneOfWindow } from '../send-window.ts';
import type { SendType } from '../sends/send.ts';
import { CAP_PATIENCE_MS } from '../sends/submission-times.ts';
import { lackingMessage, lackingPaths } from '../templates/required-data.ts';
import { isSystemPath } from '../templates/variables.ts';
import { capWindowMs, type FrequencyCap } from './frequency-cap.ts';
import type { Digest } from './gathered.ts';
import type { SequenceGraph } from './graph.ts';
import type { SendEmailConfig } from './kinds/send-email.ts';
import type { WalkContact } from './walk-context.ts';

/** What decides about the mails of a simulation beside the graph: plain data. */
export interface MailFacts {
  /** By key; one that is not here says nothing about its mails. */
  readonly templates: Readonly<Record<string, { readonly type: SendType; readonly required: readonly string[] }>>;
  /** Of the project. */
  readonly topics: readonly Pick<Topic, 'key' | 'defaultOn'>[];
  /** Whether the contact's address is suppressed. */
  readonly isSuppressed: boolean;
  /** Whether the contact was asked to confirm, and has not. */
  readonly isUnconfirmed: boolean;
  /** When marketing mails went to the contact within the window of the frequency cap. Epoch milliseconds. */
  readonly marketingAt: readonly number[];
  /** Of the project; null: its mails wait for none. */
  readonly sendWindow: SendWindow | null;
}

/** What a mail meets before it is sent. */
export interface MailInput {
  readonly config: SendEmailConfig;
  readonly contact: Pick<WalkContact, 'status' | 'topics' | 'timezone'>;
  readonly event: Readonly<Record<string, unknown>> | undefined;
  /** What the run has gathered. */
  readonly digest?: Digest | undefined;
}

/** What would become of a mail. */
export interface MailFate {
  readonly outcome: 'sent' | 'skipped' | 'failed';
  readonly detail: string;
}

/** The mails of one simulation, by the rules of a real run and in their order: recipient, send window, frequency cap, required data (docs/contract/sequences.md 27, docs/contract/events.md 18). */
export class SimulatedMails {
  readonly #facts: MailFacts;
  readonly #cap: FrequencyCap | null;
  readonly #window: SendWindow | null;
  readonly #marketingAt: number[];
  /** The time of the simulation, which goes on with the waits that it passes at once. */
  #now: number;

  constructor(facts: MailFacts, { frequencyCap, sendWindow }: Pick<SequenceGraph, 'frequencyCap' | 'sendWindow'>, now: Date) {
    this.#facts = facts;
    this.#cap = frequencyCap;
    this.#window = windowOf(sendWindow, facts.sendWindow);
    this.#marketingAt = [...facts.marketingAt];
    this.#now = now.getTime();
  }

  /** Where the simulation stands in time. */
  get now(): Date {
    return new Date(this.#now);
  }

  /** A run begins then, whatever those before it came to. Epoch milliseconds. */
  begin(at: number): void {
    this.#now = at;
  }

  /** Nothing of a run comes before what came before it. Epoch milliseconds. */
  goTo(at: number): void {
    this.pass(at - this.#now);
  }

  pass(milliseconds: number): void {
    this.#now += Math.max(0, milliseconds);
  }

  /** A mail that counts as sent from now on. */
  noteSent(config: SendEmailConfig): void {
    if (this.#typeOf(config) === 'marketing') this.#marketingAt.push(this.#now);
  }

  fateOf({ config, contact, event, digest }: MailInput): MailFate {
    const { template, topic, data = {} } = config;
    const isMarketing = this.#typeOf(config) === 'marketing';
    if (this.#facts.isSuppressed) return skipped('suppressed');
    if (isMarketing && isWithoutMarketing(contact.status)) return skipped(contact.status);
    if (isMarketing && this.#facts.isUnconfirmed && contact.status === 'pending') return skipped('unconfirmed');
    if (topic !== undefined && !this.#isOn(topic, contact.topics)) return skipped('topic_off');
    const holds = this.#holds(isMarketing, contact.timezone);
    if (!holds) return skipped('frequency_cap');
    const required = (this.#facts.templates[template]?.required ?? []).filter(isFromRun);
    const lacking = lackingPaths(required, { ...data, ...(digest ? { digest } : {}), contact, event });
    if (lacking.length > 0) return { outcome: 'failed', detail: `would fail: render_failed: ${lackingMessage(lacking)}` };
    return { outcome: 'sent', detail: [`would send ${template}`, ...holds].join(', ') };
  }

  /** Passes the time that windows and the frequency cap hold it. In words, if there is any; undefined: the cap holds it for longer than it waits. */
  #holds(isMarketing: boolean, timezone: string | null): string[] | undefined {
    const holds: string[] = [];
    for (let patience: number | undefined; ; ) {
      holds.push(...this.#waitForWindow(isMarketing, timezone));
      const freesAt = isMarketing ? this.#freesAt() : this.#now;
      if (freesAt <= this.#now) return holds;
      patience ??= this.#now + CAP_PATIENCE_MS;
      if (this.#now >= patience) return undefined;
      this.#now = Math.min(freesAt, patience);
      holds.push(`held by the frequency cap until ${this.now.toISOString()}`);
    }
  }

  /** Passes the time until its window opens. In words, if there is any. */
  #waitForWindow(isMarketing: boolean, timezone: string | null): string[] {
    const window = this.#window;
    if (!window || (!isMarketing && !window.transactional)) return [];
    const opensAt = windowInstant(window, timezone, this.now);
    if (opensAt.getTime() <= this.#now) return [];
    this.#now = opensAt.getTime();
    return [`${windowWait(window, zoneOfWindow(window, timezone))} until ${opensAt.toISOString()}`];
  }

  /** Nobody gets what is of a topic that there is not. */
  #isOn(key: string, choices: WalkContact['topics']): boolean {
    const topic = this.#facts.topics.find((each) => each.key === key);
    return topic !== undefined && isTopicOn(topic, choices);
  }

  /** When the cap leaves a place: the count-th mail back from now has left the window by then. */
  #freesAt(): number {
    if (!this.#cap) return this.#now;
    const windowMs = capWindowMs(this.#cap);
    const inWindow = this.#marketingAt.filter((at) => at > this.#now - windowMs).sort((left, right) => right - left);
    const inTheWay = inWindow[this.#cap.count - 1];
    return inTheWay === undefined ? this.#now : inTheWay + windowMs;
  }

  #typeOf({ type, template }: SendEmailConfig): SendType | undefined {
    return type ?? this.#facts.templates[template]?.type;
  }
}

/** Brand, recipient and the like are the renderer's. */
function isFromRun(path: string): boolean {
  return !isSystemPath(path) || /^(?:contact|event)\b/.test(path);
}

function skipped(reason: string): MailFate {
  return { outcome: 'skipped', detail: `would be skipped: ${reason}` };
}
