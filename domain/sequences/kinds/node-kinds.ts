import type * as z from 'zod';
import { branch } from './branch.ts';
import { digest } from './digest.ts';
import { exit } from './exit.ts';
import { goal } from './goal.ts';
import type { Kind } from './kind.ts';
import { sendEmail } from './send-email.ts';
import { split } from './split.ts';
import { subflow } from './subflow.ts';
import { throttle } from './throttle.ts';
import { trigger } from './trigger.ts';
import { updateContact } from './update-contact.ts';
import { waitDelay } from './wait-delay.ts';
import { waitUntil } from './wait-until.ts';
import { webhook } from './webhook.ts';

/** Every kind of node. Types, validation, real runs, simulate, queries and documentation read this list and no other. */
export const NODE_KINDS = [
  trigger,
  sendEmail,
  waitDelay,
  waitUntil,
  digest,
  throttle,
  branch,
  split,
  updateContact,
  webhook,
  subflow,
  goal,
  exit,
] as const;

type AnyKind = (typeof NODE_KINDS)[number];
export type NodeKind = AnyKind['name'];
export const NODE_KIND_NAMES: readonly NodeKind[] = NODE_KINDS.map(({ name }) => name);

/** A node of one of the kinds, with the config of its kind. */
export type SequenceNode = z.output<AnyKind['node']>;

const BY_NAME: ReadonlyMap<string, AnyKind> = new Map(NODE_KINDS.map((kind) => [kind.name, kind]));

/** The kind of a node in a graph that was valid when it was stored. */
export function kindOf({ kind }: SequenceNode): Kind {
  const found: Kind | undefined = BY_NAME.get(kind);
  if (!found) throw new Error(`there is no kind of node ${kind}`);
  return found;
}

/** Whether a run that stands at this node waits for an event. */
export function awaitsEvent(node: SequenceNode): boolean {
  const task = kindOf(node).task(node.config);
  return task?.does === 'wait' && task.endedBy !== null && 'event' in task.endedBy;
}

/** undefined: there is no such kind. */
export function kindNamed(name: unknown): AnyKind | undefined {
  return typeof name === 'string' ? BY_NAME.get(name) : undefined;
}

/** The kinds whose visits get their outcome although the run has ended. */
export const KINDS_FINISHING_AFTER_END: readonly NodeKind[] = NODE_KINDS.filter(({ finishesAfterEnd }) => finishesAfterEnd).map(
  ({ name }) => name,
);
