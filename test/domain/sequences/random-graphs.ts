import fc from 'fast-check';
import type { LooseGraph, LooseNode } from './graphs.ts';

const value = fc.constantFrom('x', 'y', 'z');
const condition = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 2 },
    fc.record({
      field: fc.constantFrom('attributes.is', 'event.is', 'contact.first_name', 'contact.status'),
      op: fc.constantFrom('eq', 'ne'),
      value,
    }),
    fc.record({ field: fc.constantFrom('contact.tags', 'attributes.deep.path'), op: fc.constantFrom('exists', 'not_exists') }),
    fc.record({ segment: value }),
    fc.record({ event: fc.record({ type: value, withinHours: fc.integer({ min: 1, max: 100 }) }, { requiredKeys: ['type'] }) }),
    fc.record({ all: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('any') }),
  ),
})).any;

const event = fc.record({ type: value, match: condition }, { requiredKeys: ['type'] });
const minutes = fc.oneof(fc.integer({ min: 0, max: 525_600 }), fc.double({ min: 0, max: 100, noNaN: true }).map(Math.abs));
const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'UTC');
const text = fc.constantFrom('plain', '{{ event.is }}', '{{ contact.first_name | default: "you" }}', 'Ünï © 😀');
const json = fc.jsonValue({ maxDepth: 2 }).map((each) => JSON.parse(JSON.stringify(each).replaceAll(/\{\{|\{%|__proto__/g, '')));
const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd-1', 'E_2'), { minLength: 2, maxLength: 4 });

type Drawn = { readonly config?: unknown; readonly outcomes: readonly (string | undefined)[] };
const plain = (config: fc.Arbitrary<unknown>): fc.Arbitrary<Drawn> => config.map((each) => ({ config: each, outcomes: [undefined] }));

const KINDS: Readonly<Record<string, fc.Arbitrary<Drawn>>> = {
  send_email: plain(
    fc.record(
      {
        template: fc.constant('welcome'),
        subject: text,
        type: fc.constantFrom('marketing', 'transactional'),
        brand: fc.constant('acme'),
        data: fc.dictionary(value, json),
      },
      { requiredKeys: ['template'] },
    ),
  ),
  wait_delay: plain(fc.record({ minutes })),
  wait_until: fc.oneof(
    fc.record({ event, timeoutMinutes: minutes }).map((config) => ({ config, outcomes: ['event', 'timeout'] })),
    fc.record({ condition, timeoutMinutes: minutes }).map((config) => ({ config, outcomes: ['met', 'timeout'] })),
    fc.record({ event, timeoutMinutes: minutes }).map((config) => ({ config, outcomes: [undefined] })),
    plain(
      fc.record({
        time: fc.record(
          {
            at: fc.constantFrom('00:00', '09:30', '23:59'),
            weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
            date: fc.constantFrom('2020-02-29', '2030-12-31'),
            timezone: fc.oneof(fc.constant('contact'), zone),
            fallback: zone,
          },
          { requiredKeys: [] },
        ),
      }),
    ),
  ),
  digest: fc
    .record(
      { key: fc.constantFrom('is', 'deep.path'), max: fc.integer({ min: 1, max: 3 }), windowMinutes: fc.integer({ min: 1, max: 999 }) },
      { requiredKeys: ['windowMinutes'] },
    )
    .map((config) => ({ config, outcomes: ['gathered', 'empty'] })),
  // What is dropped depends on the time that has passed, which simulate makes up.
  throttle: fc
    .record({ count: fc.integer({ min: 1, max: 9 }), window: minutes.map((each) => each || 1), otherwise: fc.constant('delay') })
    .map((config) => ({ config, outcomes: ['passed'] })),
  branch: fc.oneof(
    keys.chain((each) =>
      fc.tuple(...each.map(() => condition)).map((whens) => ({
        config: { branches: each.map((key, index) => ({ key, when: whens[index] })) },
        outcomes: [...each, 'default'],
      })),
    ),
    fc.record({ when: condition }).map((config) => ({ config, outcomes: ['true', 'false'] })),
  ),
  split: keys.chain((each) =>
    fc.tuple(...each.map(() => fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }))).map((weights) => ({
      config: { arms: each.map((key, index) => ({ key, ...(weights[index] ? { weight: weights[index] } : {}) })) },
      outcomes: each,
    })),
  ),
  update_contact: plain(
    fc.record(
      {
        set: fc.record(
          { firstName: fc.option(text), attributes: fc.dictionary(fc.constantFrom('is', 'other'), fc.oneof(value, json)) },
          { requiredKeys: [] },
        ),
        addTags: fc.array(value),
        removeTags: fc.array(value),
      },
      { requiredKeys: [] },
    ),
  ),
  webhook: plain(
    fc.record(
      {
        url: fc.constantFrom('https://a.example/x', 'https://a.example/{{ contact.id }}'),
        method: fc.constantFrom('GET', 'PUT'),
        onError: fc.constantFrom('continue', 'fail'),
        headers: fc.dictionary(fc.constantFrom('x-a', 'x-b'), text),
        body: json,
      },
      { requiredKeys: ['url'] },
    ),
  ),
  subflow: plain(
    fc.record({ sequenceKey: fc.constant('other'), mode: fc.constantFrom('enroll', 'wait') }, { requiredKeys: ['sequenceKey'] }),
  ),
  goal: fc.record({ condition }).map((config) => ({ config, outcomes: [undefined] })),
  exit: fc.constant({ outcomes: [] }),
};

const drawnNode = fc.oneof(
  ...Object.entries(KINDS).map(([kind, drawn]) =>
    fc.record({ kind: fc.constant(kind), drawn, into: fc.nat(), more: fc.array(fc.option(fc.nat()), { minLength: 5, maxLength: 5 }) }),
  ),
);

/** A valid graph of every kind of node: each node hangs on a free outcome of one before it, and further outcomes lead anywhere. */
export const graphArbitrary: fc.Arbitrary<LooseGraph> = fc
  .record({
    drawn: fc.array(drawnNode, { maxLength: 12 }),
    settings: fc.record({
      name: fc.string({ minLength: 1, maxLength: 200 }).filter((name) => name.isWellFormed()),
      reentry: fc.constantFrom('once_ever', 'once_active', 'always'),
      cooldownHours: fc.option(fc.double({ min: 0.1, max: 1_000, noNaN: true })),
      goal: fc.option(fc.oneof(fc.record({ event }), fc.record({ condition }), fc.record({ event, condition }))),
      frequencyCap: fc.option(fc.record({ count: fc.integer({ min: 1, max: 9 }), windowHours: fc.integer({ min: 1, max: 99 }) })),
      triggers: fc.array(fc.record({ kind: fc.constant('event'), config: event, enabled: fc.boolean() }), { maxLength: 3 }),
    }),
  })
  .map(({ drawn, settings }) => {
    const nodes: LooseNode[] = [{ id: 'trigger', kind: 'trigger' }];
    const edges: { from: string; to: string; branchKey?: string }[] = [];
    const free: { from: string; branchKey: string | undefined; more: number | null }[] = [
      { from: 'trigger', branchKey: undefined, more: null },
    ];
    const join = ({ from, branchKey }: (typeof free)[number], to: string): void => {
      edges.push({ from, to, ...(branchKey === undefined ? {} : { branchKey }) });
    };
    for (const { kind, drawn: made, into, more } of drawn) {
      const [slot] = free.splice(into % Math.max(1, free.length), 1);
      if (!slot) break;
      const id = `n${nodes.length}`;
      nodes.push({ id, kind, ...(made.config === undefined ? {} : { config: made.config }) });
      join(slot, id);
      free.push(...made.outcomes.map((branchKey, index) => ({ from: id, branchKey, more: more[index] ?? null })));
    }
    const targets = nodes.slice(1);
    for (const slot of free) if (slot.more !== null && targets.length > 0) join(slot, targets[slot.more % targets.length]?.id ?? '');
    return { ...settings, nodes, edges };
  });
