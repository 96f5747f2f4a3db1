import { factsNeeded } from '../../../domain/conditions/needs.ts';
import { NO_CONTACT_TEXTS } from '../../../domain/contacts/fields.ts';
import { conditionsOf } from '../../../domain/sequences/conditions-of.ts';
import { type Simulation, simulate } from '../../../domain/sequences/simulate.ts';
import type { MailFacts } from '../../../domain/sequences/simulated-mails.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import type { WalkContact } from '../../../domain/sequences/walk-context.ts';
import { KNOWN, type LooseGraph } from './graphs.ts';

const NOW = new Date('2027-03-01T10:00:00Z');

const CONTACT: WalkContact = {
  ...{ id: 'simulated', email: 'a@b.example', brand_id: 'acme', status: 'subscribed', source: 'api', created_at: NOW },
  ...NO_CONTACT_TEXTS,
  ...{ tags: [], attributes: {}, topics: {} },
  ...{ consent_source: null, consent_ip: null, consent_user_agent: null, consent_at: null },
};

export interface Told {
  readonly contact?: Partial<WalkContact>;
  readonly event?: { readonly type: string; readonly payload?: Record<string, unknown> };
  readonly assume?: Record<string, string>;
  readonly mails?: Partial<MailFacts>;
  readonly passes?: Record<string, number[]>;
  /** `min`: how many minutes after the beginning. */
  readonly events?: readonly { readonly type: string; readonly min: number; readonly data?: Record<string, unknown> }[];
}

/** Simulates a graph as PUT takes it. */
export function run(loose: LooseGraph, { contact = {}, event, assume = {}, mails = {}, passes, events }: Told = {}): Simulation {
  const read = parseGraph(loose, 'draft', KNOWN);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const { graph } = read.valid;
  const payload = event && (event.payload ?? {});
  const facts = { needed: factsNeeded(conditionsOf(graph)), segments: [], events: [], emails: [], topics: [] };
  const simulation = simulate({
    ...{ graph, sequenceKey: 'seq', contact: { ...CONTACT, ...contact }, event: payload, assume, facts, now: NOW },
    eventType: event?.type,
    ...(events ? { events: events.map(({ type, min, data = {} }) => ({ type, data, at: NOW.getTime() + min * 60_000 })) } : {}),
    ...(passes ? { passes } : {}),
    mails: { templates: {}, topics: [], isSuppressed: false, isUnconfirmed: false, marketingAt: [], sendWindow: null, ...mails },
  });
  if (!simulation) throw new Error('no entry node');
  return simulation;
}
