import {
  type Icon,
  IconArrowsSplit2,
  IconBolt,
  IconClock,
  IconFlag,
  IconGauge,
  IconGitBranch,
  IconHourglass,
  IconLogout2,
  IconMail,
  IconRoute,
  IconStack2,
  IconUserEdit,
  IconWebhook,
} from '@tabler/icons-react';
import type { Schemas } from '../../../api/client.ts';
import { keysOf } from '../../../frame/choices.ts';
import { capitalized } from '../../../letters.ts';
import { durationWords } from '../../../show/duration-words.ts';
import { conditionWords } from '../../segments/filter-words.ts';
import type { GraphNode, SequenceGraph } from '../sequence-queries.ts';
import { contactFieldWords } from './contact-field-words.ts';
import { FIRST_RULE } from './unfilled.ts';

export type NodeKind = Schemas['SequenceNode']['kind'];
/** Config of one of the kinds, as the API describes it. */
export type ConfigOf<K extends NodeKind> = Extract<Schemas['SequenceNode'], { kind: K }>['config'];
/** What enters contacts, which is told at the node where runs start. */
export type Triggers = SequenceGraph['triggers'];

/** All that is known of a kind of node but its form, which is in `../edit/forms/config-forms.ts`. */
interface Kind<Config = unknown> {
  /** As people call it. */
  readonly name: string;
  readonly icon: Icon;
  /** What it is for, where it is offered. undefined: no step can be made of it. */
  readonly help: string | undefined;
  /** The settings of a step that was just made; what only its author can know is left open, and asked for (unfilled.ts). */
  firstConfig?(): GraphNode['config'];
  /** What happens there, in a few words; undefined: no more than its name says. May throw for a config that is not what it takes. */
  words?(config: NonNullable<Config>, triggers: Triggers): string | undefined;
  /** Every outcome that an edge out of it can be for, in order; of any config, also one that it does not take. Without: one edge serves all. */
  outcomes?(config: NonNullable<GraphNode['config']>): readonly string[];
  /** An edge without a key may serve all outcomes. */
  readonly mayHaveOneEdge?: true;
  /** Whether a run waits there for an event; of any config, as the outcomes are. */
  awaitsEvent?(config: NonNullable<GraphNode['config']>): boolean;
  /** What a simulation can be told to assume, where that is not one of the outcomes. */
  readonly assumable?: readonly string[];
}

/** The kinds of node, in the order in which they are offered. */
export const NODE_KINDS: { readonly [K in NodeKind]: Kind<ConfigOf<K>> } = {
  trigger: {
    name: 'Start',
    icon: IconBolt,
    // A run starts at one place.
    help: undefined,
    words(_, triggers) {
      const on = triggers.filter(({ enabled }) => enabled);
      if (on.length === 0) return 'Start: enrolled manually';
      return named('Start:', on.flatMap((trigger) => nameOf(trigger) || []).join(', '));
    },
  },
  send_email: {
    name: 'Send email',
    icon: IconMail,
    help: 'Send a template to the contact',
    firstConfig: () => ({ template: '' }),
    words: ({ template }) => named('Send', template),
    assumable: ['sent', 'skipped', 'failed'],
  },
  wait_delay: {
    name: 'Wait',
    icon: IconClock,
    help: 'Wait a set time, such as two days',
    firstConfig: () => ({ minutes: 1440 }),
    words: ({ minutes }) => `Wait ${durationWords(minutes)}`,
  },
  wait_until: {
    name: 'Wait until',
    icon: IconHourglass,
    help: 'Wait for an event, a condition or a time',
    firstConfig: () => ({ event: { type: '' }, timeoutMinutes: 1440 }),
    words: waitWords,
    outcomes: (config) => ('event' in config ? ['event', 'timeout'] : 'condition' in config ? ['met', 'timeout'] : []),
    mayHaveOneEdge: true,
    awaitsEvent: (config) => config.event !== undefined,
  },
  digest: {
    name: 'Digest',
    icon: IconStack2,
    help: 'Gather events and continue once with all of them',
    firstConfig: () => ({ windowMinutes: 60 }),
    words: digestWords,
    outcomes: () => ['gathered', 'empty'],
    mayHaveOneEdge: true,
  },
  throttle: {
    name: 'Throttle',
    icon: IconGauge,
    help: 'Let a contact through only so often',
    firstConfig: () => ({ count: 1, window: 1440, otherwise: 'drop' }),
    words: ({ count, window, otherwise }) =>
      `At most ${count} in ${durationWords(window)}, ${otherwise === 'delay' ? 'then delay' : 'then drop'}`,
    outcomes: ({ otherwise }) => (otherwise === 'delay' ? ['passed'] : ['passed', 'dropped']),
  },
  branch: {
    name: 'Branch',
    icon: IconGitBranch,
    help: 'Split by contact data or conditions',
    firstConfig: () => ({ when: FIRST_RULE }),
    words(branch) {
      if (!('when' in branch)) return `Branch: ${branch.branches.map(({ key }) => key).join(', ')}`;
      return isUnfilled(branch.when) ? undefined : `Branch: ${conditionWords(branch.when)}`;
    },
    outcomes: (config) => ('when' in config ? ['true', 'false'] : [...keysIn(config.branches), 'default']),
  },
  split: {
    name: 'Split',
    icon: IconArrowsSplit2,
    help: 'Split randomly to compare',
    firstConfig: () => ({
      arms: [
        { key: 'a', weight: 50 },
        { key: 'b', weight: 50 },
      ],
    }),
    words({ arms }) {
      const total = arms.reduce((sum, { weight = 1 }) => sum + weight, 0);
      return `Split: ${arms.map(({ key, weight = 1 }) => `${key} ${Math.round((weight / total) * 100)}%`).join(', ')}`;
    },
    outcomes: (config) => keysIn(config.arms),
  },
  update_contact: {
    name: 'Update contact',
    icon: IconUserEdit,
    help: 'Set fields, add or remove tags',
    firstConfig: () => ({ addTags: [] }),
    words: updateWords,
  },
  webhook: {
    name: 'Call webhook',
    icon: IconWebhook,
    help: 'Send data to another system',
    firstConfig: () => ({ url: 'https://', method: 'POST', onError: 'continue' }),
    words: ({ method = 'POST', url }) => named(method, url.replace(/^https?:\/\//, '')),
    assumable: ['called', 'failed'],
  },
  subflow: {
    name: 'Another sequence',
    icon: IconRoute,
    help: 'Enroll the contact there',
    firstConfig: () => ({ sequenceKey: '', mode: 'enroll' }),
    words: ({ sequenceKey, mode }) => named(mode === 'wait' ? 'Go through' : 'Enroll into', sequenceKey),
  },
  goal: {
    name: 'Goal',
    icon: IconFlag,
    help: 'End the run as a success',
    words: ({ condition }) => (condition ? `Goal: ${conditionWords(condition)}` : undefined),
  },
  exit: { name: 'End', icon: IconLogout2, help: 'End the run' },
};

/** The kinds that a step can be made of. */
export const NEW_KINDS = keysOf(NODE_KINDS).filter((kind) => NODE_KINDS[kind].help !== undefined);

/** What is known of the kind of a node; undefined: this console does not know it. */
export function kindOf(node: Pick<GraphNode, 'kind'>): Kind | undefined {
  const known: Readonly<Record<string, Kind | undefined>> = NODE_KINDS;
  return known[node.kind];
}

/** undefined as long as there is no name. */
function named(verb: string, name: string): string | undefined {
  return name ? `${verb} ${name}` : undefined;
}

/** Whether a condition is still as a new step has it. */
function isUnfilled(condition: Parameters<typeof conditionWords>[0]): boolean {
  return 'field' in condition && ['', 'attributes.', 'event.'].includes(condition.field);
}

function updateWords({ set, addTags = [], removeTags = [], status }: ConfigOf<'update_contact'>): string | undefined {
  const fields = Object.keys({ ...set, ...set?.attributes }).flatMap((name) => (name === 'attributes' ? [] : contactFieldWords(name)));
  const parts = [
    fields.length > 0 && `set ${fields.join(', ')}`,
    addTags.length > 0 && `tag ${addTags.join(', ')}`,
    removeTags.length > 0 && `untag ${removeTags.join(', ')}`,
    status && 'unsubscribe',
  ].filter(Boolean);
  return parts.length > 0 ? capitalized(parts.join('; ')) : undefined;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** What it is entered by, as its author calls it; empty as long as that is not chosen. */
function nameOf({ kind, config }: Triggers[number]): string {
  if (kind === 'event') return config.type;
  if (kind === 'segment') return config.segment;
  return config.field ? 'day added' : (config.attribute ?? '');
}

function waitWords(config: ConfigOf<'wait_until'>): string {
  if ('time' in config) return `Wait until ${timeWords(config.time)}`;
  if ('event' in config && !config.event.type) return 'Wait for an event';
  const most = `at most ${durationWords(config.timeoutMinutes)}`;
  return 'event' in config ? `Wait for ${config.event.type}, ${most}` : `Wait until ${conditionWords(config.condition)}, ${most}`;
}

function digestWords(config: ConfigOf<'digest'>): string {
  const together = config.key ? ` by ${config.key}` : '';
  const end = 'until' in config ? `until ${timeWords(config.until)}` : `for ${durationWords(config.windowMinutes)}`;
  return `Gather events${together} ${end}${config.max ? `, at most ${config.max}` : ''}`;
}

function timeWords({ date, weekdays, at, timezone }: Extract<ConfigOf<'wait_until'>, { time: unknown }>['time']): string {
  const days = weekdays?.map((day) => WEEKDAYS[day - 1]).join(', ');
  const when = [date, days, at].filter(Boolean).join(' ') || 'a time';
  return `${when}${timezone === 'contact' ? ', contact time' : ''}`;
}

function keysIn(list: unknown): string[] {
  return Array.isArray(list) ? list.flatMap((one) => (typeof one?.key === 'string' ? [one.key] : [])) : [];
}
