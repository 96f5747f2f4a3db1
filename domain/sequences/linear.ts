import type { SendType } from '../sends/send.ts';
import type { EnteredDate } from './date-entry.ts';
import type { FrequencyCap } from './frequency-cap.ts';
import type { Edge, SequenceGraph, Trigger } from './graph.ts';
import type { SequenceNode } from './kinds/node-kinds.ts';
import type { SendEmailConfig } from './kinds/send-email.ts';

/** One mail of a linear sequence, and how long to wait before it. */
export interface LinearStep {
  readonly template: string;
  readonly subject?: string | undefined;
  readonly type?: SendType | undefined;
  /** The key of a topic. */
  readonly topic?: string | undefined;
  /** 0 or omitted: no wait. */
  readonly delayMinutes?: number | undefined;
}

export interface LinearSequence {
  readonly steps: readonly LinearStep[];
  /** The event type that enrolls, the segment whose members are enrolled as they become members, or the date on which each contact is. */
  readonly trigger?: string | { readonly segment: string } | EnteredDate | undefined;
  readonly brand?: string | undefined;
  readonly frequencyCap?: FrequencyCap | undefined;
  readonly sendWindow?: SequenceGraph['sendWindow'];
}

/** `trigger → [wait_delay →] send_email → … → exit`, with the ids of docs/contract/sequences.md 2. */
export function linearGraph({ steps, trigger, brand, frequencyCap, sendWindow }: LinearSequence): SequenceGraph {
  const mails = steps.flatMap((step, index) => nodesOf(step, index + 1, brand));
  const nodes: SequenceNode[] = [{ id: 'trigger', kind: 'trigger' }, ...mails, { id: 'exit', kind: 'exit' }];
  const edges = nodes.slice(1).map<Edge>((node, index) => ({ from: (nodes[index] as SequenceNode).id, to: node.id }));
  return {
    reentry: 'once_active',
    cooldownHours: null,
    goal: null,
    frequencyCap: frequencyCap ?? null,
    ...(sendWindow ? { sendWindow } : {}),
    triggers: trigger === undefined ? [] : [triggerOf(trigger)],
    nodes,
    edges,
  };
}

function triggerOf(trigger: NonNullable<LinearSequence['trigger']>): Trigger {
  if (typeof trigger === 'string') return { kind: 'event', config: { type: trigger }, enabled: true };
  if ('segment' in trigger) return { kind: 'segment', config: trigger, enabled: true };
  return { kind: 'date', config: trigger, enabled: true };
}

function nodesOf({ template, subject, type, topic, delayMinutes }: LinearStep, number: number, brand: string | undefined): SequenceNode[] {
  const config: SendEmailConfig = {
    template,
    ...(subject ? { subject } : {}),
    ...(type ? { type } : {}),
    ...(brand ? { brand } : {}),
    ...(topic ? { topic } : {}),
  };
  const mail: SequenceNode = { id: `send_${number}`, kind: 'send_email', config };
  return delayMinutes ? [{ id: `delay_${number}`, kind: 'wait_delay', config: { minutes: delayMinutes } }, mail] : [mail];
}
