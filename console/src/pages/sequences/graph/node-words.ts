import type { Schemas } from '../../../api/client.ts';
import { capitalized } from '../../../letters.ts';
import { CONTACT_TEXTS } from '../../../show/contact-texts.ts';
import { conditionWords } from '../../segments/filter-words.ts';
import type { GraphEdge, GraphNode, SequenceGraph } from '../sequence-queries.ts';

export type { GraphEdge, GraphNode };
/** What enters contacts, which is told at the node where runs start. */
export type Triggers = SequenceGraph['triggers'];
export type NodeKind = Schemas['SequenceNode']['kind'];
/** Config of one of the kinds, as the API describes it. */
export type ConfigOf<K extends NodeKind> = Extract<Schemas['SequenceNode'], { kind: K }>['config'];

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** What happens at a node, in a few words. A config that is not what its kind takes is named by its kind alone. */
export function nodeWords(node: GraphNode, triggers: Triggers = []): string {
  const words = WORDS[node.kind as NodeKind];
  if (!words) return node.kind;
  try {
    return words(node.config ?? {}, triggers);
  } catch {
    return KIND_NAMES[node.kind as NodeKind];
  }
}

/** The kinds of node, as people call them. */
export const KIND_NAMES: Readonly<Record<NodeKind, string>> = {
  trigger: 'Start',
  send_email: 'Send mail',
  wait_delay: 'Wait',
  wait_until: 'Wait until',
  branch: 'Branch',
  split: 'Split',
  update_contact: 'Update contact',
  webhook: 'Call webhook',
  subflow: 'Other sequence',
  goal: 'Goal',
  exit: 'End',
};

type Words = (config: object, triggers: Triggers) => string;

const WORDS: Readonly<Record<NodeKind, Words>> = {
  trigger: (_, triggers) => {
    const on = triggers.filter(({ enabled }) => enabled);
    if (on.length === 0) return 'Start: enrolled by hand';
    return named('Start:', on.flatMap(({ config }) => config.type || []).join(', '), KIND_NAMES.trigger);
  },
  send_email: (config) => named('Send', (config as ConfigOf<'send_email'>).template, KIND_NAMES.send_email),
  wait_delay: (config) => `Wait ${durationWords((config as ConfigOf<'wait_delay'>).minutes)}`,
  wait_until: (config) => waitWords(config as ConfigOf<'wait_until'>),
  branch(config) {
    const branch = config as ConfigOf<'branch'>;
    if (!('when' in branch)) return `Branch: ${branch.branches.map(({ key }) => key).join(', ')}`;
    return isUnfilled(branch.when) ? KIND_NAMES.branch : `Branch: ${conditionWords(branch.when)}`;
  },
  split(config) {
    const { arms } = config as ConfigOf<'split'>;
    const total = arms.reduce((sum, { weight = 1 }) => sum + weight, 0);
    return `Split: ${arms.map(({ key, weight = 1 }) => `${key} ${Math.round((weight / total) * 100)}%`).join(', ')}`;
  },
  update_contact(config) {
    const { set, addTags = [], removeTags = [], status } = config as ConfigOf<'update_contact'>;
    const fields = Object.keys({ ...set, ...set?.attributes }).flatMap((name) => (name === 'attributes' ? [] : fieldWords(name)));
    const parts = [
      fields.length > 0 && `set ${fields.join(', ')}`,
      addTags.length > 0 && `tag ${addTags.join(', ')}`,
      removeTags.length > 0 && `untag ${removeTags.join(', ')}`,
      status && 'unsubscribe',
    ].filter(Boolean);
    return capitalized(parts.join('; ')) || KIND_NAMES.update_contact;
  },
  webhook(config) {
    const { method = 'POST', url } = config as ConfigOf<'webhook'>;
    return named(method, url.replace(/^https?:\/\//, ''), KIND_NAMES.webhook);
  },
  subflow(config) {
    const { sequenceKey, mode } = config as ConfigOf<'subflow'>;
    return named(mode === 'wait' ? 'Go through' : 'Enroll into', sequenceKey, KIND_NAMES.subflow);
  },
  goal(config) {
    const goal = config as NonNullable<ConfigOf<'goal'>>;
    return goal.condition ? `Goal: ${conditionWords(goal.condition)}` : 'Goal';
  },
  exit: () => 'End',
};

/** A field of contacts, as people call it; attributes have names of their own. */
export function fieldWords(name: string): string {
  const known: Readonly<Record<string, { readonly label: string }>> = CONTACT_TEXTS;
  return known[name]?.label.toLowerCase() ?? name;
}

/** `unfilled` as long as there is no name. */
function named(verb: string, name: string, unfilled: string): string {
  return name ? `${verb} ${name}` : unfilled;
}

/** Whether a condition is still as a new step has it. */
function isUnfilled(condition: Parameters<typeof conditionWords>[0]): boolean {
  return 'field' in condition && ['', 'attributes.', 'event.'].includes(condition.field);
}

function waitWords(config: ConfigOf<'wait_until'>): string {
  if ('time' in config) {
    const { date, weekdays, at, timezone } = config.time;
    const days = weekdays?.map((day) => WEEKDAYS[day - 1]).join(', ');
    const when = [date, days, at].filter(Boolean).join(' ') || 'a time';
    return `Wait until ${when}${timezone === 'contact' ? ', theirs' : ''}`;
  }
  if ('event' in config && !config.event.type) return 'Wait for an event';
  const most = `at most ${durationWords(config.timeoutMinutes)}`;
  return 'event' in config ? `Wait for ${config.event.type}, ${most}` : `Wait until ${conditionWords(config.condition)}, ${most}`;
}

const UNITS = [
  { minutes: 10_080, name: 'week' },
  { minutes: 1440, name: 'day' },
  { minutes: 60, name: 'hour' },
  { minutes: 1, name: 'minute' },
] as const;

/** Minutes in the largest unit that they are whole in. */
export function durationWords(minutes: number): string {
  if (minutes > 0 && minutes < 1) return `${Number((minutes * 60).toFixed(1))} s`;
  const unit = UNITS.find((one) => minutes >= one.minutes && minutes % one.minutes === 0) ?? UNITS[3];
  const count = minutes / unit.minutes;
  return `${Number(count.toFixed(2))} ${unit.name}${count === 1 ? '' : 's'}`;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  true: 'Yes',
  false: 'No',
  default: 'Otherwise',
  timeout: 'Timed out',
  met: 'Met',
  event: 'Event',
};

/** The outcome that an edge is for. */
export function outcomeWords(key: string): string {
  return OUTCOMES[key] ?? key;
}

/** Every outcome that an edge out of a node can be for, in order; none where one edge serves all. */
export function branchKeys({ kind, config = {} }: GraphNode): readonly string[] {
  if (kind === 'branch') return 'when' in config ? ['true', 'false'] : [...keysIn(config.branches), 'default'];
  if (kind === 'split') return keysIn(config.arms);
  if (kind === 'wait_until') return 'event' in config ? ['event', 'timeout'] : 'condition' in config ? ['met', 'timeout'] : [];
  return [];
}

/** What a simulation can be told to assume at a node; nothing where there is but one way. */
export function assumableOutcomes(node: GraphNode): readonly string[] {
  if (node.kind === 'send_email') return ['sent', 'skipped', 'failed'];
  if (node.kind === 'webhook') return ['called', 'failed'];
  return branchKeys(node);
}

/** One of them, as people call it; a way out by the name that its edge has. */
export function assumableWords(node: GraphNode, outcome: string): string {
  if (branchKeys(node).includes(outcome)) return outcomeWords(outcome);
  return outcome === 'skipped' ? 'Left out' : capitalized(outcome);
}

function keysIn(list: unknown): string[] {
  return Array.isArray(list) ? list.flatMap((one) => (typeof one?.key === 'string' ? [one.key] : [])) : [];
}
