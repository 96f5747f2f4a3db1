import type { Condition } from '../conditions/condition.ts';
import type { Judge, JudgedContact } from '../conditions/judge.ts';
import { applyUpdate } from './contact-update.ts';
import type { Digest } from './gathered.ts';
import type { SequenceGraph } from './graph.ts';
import type { Surroundings } from './kinds/kind.ts';
import type { ContactUpdate } from './kinds/update-contact-config.ts';
import type { WalkBudget } from './walk-budget.ts';

/** A contact as a walk sees it; `simulated` is the id of one that exists only in a request. */
export interface WalkContact extends JudgedContact {
  readonly id: string;
}

/** What a walk depends on beside the graph. An update_contact node changes the copy of the contact that later nodes see. */
export interface WalkContext {
  readonly around: Surroundings;
  readonly budget: WalkBudget;
  /** Whether the goal's condition holds now. */
  goalHolds(): boolean;
  /** Changes the contact; answers with what happened, in words. */
  update(update: ContactUpdate): string;
  /** What the Liquid of later nodes sees as `digest`. */
  noteDigest(digest: Digest): void;
  /** Simulate only: another event has come; the judge knows it. */
  noteEvent(event: Readonly<Record<string, unknown>>): void;
  /** Simulate only: this mail counts as sent from now on, as it would in a real run. */
  noteSent(template: string): void;
  /** Simulate only: what comes next happens at this instant, as if the time until then had passed. */
  moveTo(instant: Date): void;
  /** The outcome that a simulation is to assume at a node; a real run assumes none. */
  assumed(nodeId: string): string | undefined;
}

/** What a walk starts from. */
export interface WalkStart<C extends WalkContact> {
  readonly graph: SequenceGraph;
  readonly sequenceKey: string;
  readonly contact: C;
  /** Payload of the latest event. */
  readonly event: Readonly<Record<string, unknown>> | undefined;
  /** Outcomes to take whatever would be decided, by node: simulate only. */
  readonly assume?: Readonly<Record<string, string>>;
  readonly judge: Judge;
  readonly budget: WalkBudget;
  readonly now: Date;
  /** Why update_contact nodes change nothing, in words; undefined: they do. */
  readonly unchanged?: string | undefined;
}

/** The context of a real walk or of a simulation. Writing the changed contact is the caller's part. */
export function createWalkContext<C extends WalkContact>(start: WalkStart<C>): WalkContext & { readonly contact: C } {
  const { graph, sequenceKey, assume = {}, judge, budget, unchanged } = start;
  let { contact, event, now } = start;
  let digest: Digest | undefined;
  const sent = new Set<string>();
  const goal = graph.goal?.condition;
  const holds = (condition: Condition): boolean =>
    budget.charge(() => {
      budget.check();
      return judge(contact, condition, sent);
    });
  return {
    get contact() {
      return contact;
    },
    budget,
    around: {
      get now() {
        return now;
      },
      sequenceKey,
      contactId: contact.id,
      get contactTimezone() {
        return contact.timezone;
      },
      holds,
    },
    goalHolds: () => goal !== undefined && holds(goal),
    noteDigest(left) {
      digest = left;
    },
    noteEvent(arrived) {
      event = arrived;
    },
    noteSent: (template) => void sent.add(template),
    moveTo(instant) {
      now = instant;
    },
    assumed: (nodeId) => (Object.hasOwn(assume, nodeId) ? assume[nodeId] : undefined),
    update: (update) =>
      unchanged ??
      budget.charge(() => {
        // As JSON, so that an instant is the text that the API shows.
        const shown = JSON.parse(JSON.stringify(contact));
        const variables = { contact: shown, event: event ?? {}, ...(digest ? { digest } : {}), now: now.toISOString() };
        const changed = applyUpdate(contact, update, { variables, budget, now });
        contact = { ...contact, ...changed.contact };
        return changed.detail;
      }),
  };
}
