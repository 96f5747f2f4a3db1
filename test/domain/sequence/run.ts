import type { Condition } from '../../../domain/condition/condition.ts';
import { evaluateCondition } from '../../../domain/condition/evaluate.ts';
import { type Simulation, simulate } from '../../../domain/sequence/simulate.ts';
import { createTraveller, type TravellingContact } from '../../../domain/sequence/traveller.ts';
import { readGraph } from '../../../domain/sequence/validate.ts';
import { KNOWN, type LooseGraph } from './graphs.ts';

const NOW = new Date('2027-03-01T10:00:00Z');

const CONTACT: TravellingContact = {
  ...{ id: 'simulated', email: 'a@b.example', brand_id: 'acme', status: 'subscribed', source: 'api', created_at: NOW },
  ...{ first_name: null, last_name: null, display_name: null, tags: [], timezone: null, locale: null, attributes: {} },
  ...{ consent_source: null, consent_ip: null, consent_user_agent: null, consent_at: null },
};

export interface Told {
  readonly contact?: Partial<TravellingContact>;
  readonly event?: { readonly type: string; readonly payload?: Record<string, unknown> };
  readonly assume?: Record<string, string>;
}

/** Simulates a graph as PUT takes it. */
export function run(loose: LooseGraph, { contact = {}, event, assume = {} }: Told = {}): Simulation {
  const read = readGraph(loose, 'draft', KNOWN);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const { graph } = read.valid;
  const payload = event && (event.payload ?? {});
  const judge = (traveller: TravellingContact, condition: Condition): boolean =>
    evaluateCondition(condition, {
      ...{ contact: { ...traveller, brand: traveller.brand_id }, attributes: traveller.attributes, event: payload },
      ...{ segments: new Set(), events: new Set(), emails: new Set() },
    });
  const traveller = createTraveller({
    ...{ graph, sequenceKey: 'seq', contact: { ...CONTACT, ...contact }, event: payload, assume, judge, now: NOW },
  });
  const simulation = simulate({ graph, traveller, eventType: event?.type });
  if (!simulation) throw new Error('no entry node');
  return simulation;
}
