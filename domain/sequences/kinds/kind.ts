import * as z from 'zod';
import type { Condition } from '../../conditions/condition.ts';
import { capitalized } from '../../shown-text.ts';
import type { VariableScope } from '../../templates/variable-spelling.ts';
import { SYSTEM_VARIABLES } from '../../templates/variables.ts';
import { MAX_NAME_LENGTH } from '../../text-lengths.ts';
import type { WalkEnd } from '../end-reason.ts';
import type { EventPattern } from '../schema-parts.ts';
import type { WaitingFor } from '../waiting-for.ts';
import type { ThrottleConfig } from './throttle-config.ts';
import type { ContactUpdate } from './update-contact-config.ts';

export const NODE_ID_RULE = 'a node id is 1 to 64 characters A-Z, a-z, 0-9, _ and -';
export const NodeId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: NODE_ID_RULE })
  .meta({ description: 'Unique in the graph' });

const STEP_LABEL_RULE = `1 to ${MAX_NAME_LENGTH} characters`;
const StepLabel = z
  .string({ error: STEP_LABEL_RULE })
  .min(1, { error: STEP_LABEL_RULE })
  .max(MAX_NAME_LENGTH, { error: STEP_LABEL_RULE })
  .meta({ description: 'What your lists call it, where what it does says too little', examples: ['Second reminder'] });

/** The config of a kind that takes none. */
export const NoConfig = z.never().optional().meta({ description: 'This kind has none' });

/** What a decision at a node may ask about; the same for a real run and for simulate. */
export interface Surroundings {
  readonly now: Date;
  readonly sequenceKey: string;
  /** `simulated` for a contact that exists only in a request. */
  readonly contactId: string;
  readonly contactTimezone: string | null;
  holds(condition: Condition): boolean;
}

/** What is done at a node that takes time, until the visit has its outcome. */
export type Task =
  | { readonly does: 'send'; readonly template: string }
  | { readonly does: 'call'; readonly method: string; readonly url: string }
  | {
      readonly does: 'wait';
      /** As `waiting_for` shows it: docs/contract/events.md 27. */
      readonly waitingFor: WaitingFor;
      /** What ends it before its instant. */
      readonly endedBy: { readonly event: EventPattern } | { readonly condition: Condition } | { readonly sequenceKey: string } | null;
      /** The outcome that its instant brings. */
      readonly timeoutOutcome: string;
    };

/** What happens at a node on arrival. */
export type Arrival =
  /** Done at once; the run goes on with this outcome. */
  | { readonly does: 'pass'; readonly outcome: string; readonly detail: string }
  | { readonly does: 'update'; readonly update: ContactUpdate }
  | { readonly does: 'end'; readonly reason: WalkEnd; readonly outcome: string; readonly detail: string }
  /** Another sequence; where it is waited for, the run stands at the node's task. */
  | { readonly does: 'enter'; readonly sequenceKey: string; readonly wait: boolean }
  /** The run stands at the node's task. `until`: the instant of a wait. */
  | { readonly does: 'stand'; readonly until: Date | null }
  /** Events gather, those with the same value at the path `key`; the run stands at the node's task unless `max` have gathered already. */
  | { readonly does: 'gather'; readonly until: Date; readonly key: string | undefined; readonly max: number | undefined }
  /** Whether it passes, is dropped, or stands at the node's task until it may pass, depends on the runs before it. */
  | { readonly does: 'throttle'; readonly config: ThrottleConfig };

export interface EdgeRules {
  /** Whether an edge may lead to it. */
  readonly into: boolean;
  /** Of edges out of it: `plain` have no branch key, `keyed` have one, of `either` one without a key serves every outcome. */
  readonly out: 'none' | 'plain' | 'keyed' | 'either';
}

/** A name of the project that a node uses, and what it names. */
export interface UsedName {
  readonly of: 'template' | 'brand' | 'topic' | 'url';
  readonly name: string;
}

/** Everything that one kind of node is: docs/contract/sequences.md 15 to 25. `S` is the schema of its config. */
export interface Kind<N extends string = string, S extends z.ZodType = z.ZodType> {
  readonly name: N;
  /** What it does, for the documentation. */
  readonly summary: string;
  readonly config: S;
  readonly node: z.ZodObject<{ id: typeof NodeId; kind: z.ZodLiteral<N>; label: z.ZodOptional<typeof StepLabel>; config: S }>;
  readonly edges: EdgeRules;
  /** The outcomes that an edge can be for. The config may be wrong: it is read as far as it goes. */
  branchKeys(config: unknown): readonly string[];
  /** The outcomes that a simulation can be told to assume at a node: the branch keys unless a kind says otherwise. */
  outcomes(config: z.output<S>): readonly string[];
  /** Every condition that a visit may ask about. */
  conditions(config: z.output<S>): readonly Condition[];
  /** The parts of a config, right or wrong, whose texts are Liquid, by the names that they have there. */
  liquid(config: unknown): Readonly<Record<string, unknown>>;
  /** What that Liquid may read, where it is not a mail's (`mailScope`). */
  readonly variables: VariableScope;
  /** The names that a config, right or wrong, uses. */
  names(config: unknown): readonly UsedName[];
  arrive(config: z.output<S>, around: Surroundings, nodeId: string): Arrival;
  /** What a run that stands here does; undefined for a kind at which none does. Asked again it is the same. */
  task(config: z.output<S>): Task | undefined;
  /**
   * How many minutes a run waits here at the least that leaves by the edge with this key; without one the edge serves whatever no other does.
   * Infinity: something else has to happen each time.
   */
  leastMinutes(config: z.output<S>, branchKey: string | undefined): number;
  /** Whether a visit gets its outcome although the run has ended: it is about a mail or a call in flight. */
  readonly finishesAfterEnd: boolean;
  /** Whether this outcome ends the run, and as what. */
  endsRun(config: z.output<S>, outcome: string): WalkEnd | undefined;
}

/** What every kind has to say; the rest has defaults. */
type KindRules<N extends string, S extends z.ZodType> = Pick<Kind<N, S>, 'name' | 'summary' | 'config' | 'edges' | 'arrive'> &
  Partial<Kind<N, S>>;

/** A kind of node; what is left out it does not have. */
export function defineKind<const N extends string, S extends z.ZodType>(kind: KindRules<N, S>): Kind<N, S> {
  return {
    node: z
      .object({
        id: NodeId,
        kind: z.literal(kind.name).meta({ description: 'What the node does' }),
        label: StepLabel.optional(),
        config: kind.config,
      })
      .meta({ id: `${pascalCase(kind.name)}Node`, description: kind.summary }),
    branchKeys: () => [],
    outcomes: kind.branchKeys ?? (() => []),
    conditions: () => [],
    liquid: () => ({}),
    variables: { names: {} },
    names: () => [],
    task: () => undefined,
    leastMinutes: () => 0,
    finishesAfterEnd: false,
    endsRun: () => undefined,
    ...kind,
  };
}

function pascalCase(name: string): string {
  return name.split('_').map(capitalized).join('');
}

export function pass(outcome: string, detail: string): Extract<Arrival, { does: 'pass' }> {
  return { does: 'pass', outcome, detail };
}

/** What the Liquid of a node sees that is no mail's. */
export const RUN_VARIABLES = { contact: SYSTEM_VARIABLES.contact ?? [], event: null };

/** Fields of a config that may be anything. */
export function parts(config: unknown, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, part(config, name)]));
}

/** One field of a config that may be anything. */
export function part(config: unknown, name: string): unknown {
  return typeof config === 'object' && config !== null && Object.hasOwn(config, name) ? Reflect.get(config, name) : undefined;
}

/** The keys of branches or arms that may be anything. */
export function keysIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map((item) => String(part(item, 'key'))) : [];
}
