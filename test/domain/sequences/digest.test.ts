import { expect, test } from 'vitest';
import { gatheringKey, latestShown, MAX_GATHERED } from '../../../domain/sequences/gathered.ts';
import type { SimulatedStep, Simulation } from '../../../domain/sequences/simulate.ts';
import { passesAt } from '../../../domain/sequences/throttle-rule.ts';
import { chain, type LooseGraph, MAIL, TRIGGER } from './graphs.ts';
import { run, type Told } from './run.ts';

const triggers = [{ kind: 'event', config: { type: 'reply' }, enabled: true }];
const digest = (config: object) => ({ id: 'd', kind: 'digest', config });
const HOUR = digest({ windowMinutes: 60 });
const gathering = (config: object, settings: object = {}): LooseGraph => ({ ...chain(digest(config), MAIL), triggers, ...settings });
const replies = (...minutes: readonly number[]) => minutes.map((min) => ({ type: 'reply', min, data: { n: min } }));

/** How many have gathered, and the minutes at which those shown came. */
function gathered({ path }: Pick<Simulation, 'path'>): [count: number, ...minutes: unknown[]][] {
  const digests = path.flatMap(({ digest: found }: SimulatedStep) => found ?? []);
  return digests.map(({ count, events }) => [count, ...events.map(({ data }) => data.n)]);
}

/** What gathers in each of the runs. */
const inAll = (graph: LooseGraph, told: Told) => {
  const { runs = [], ...first } = run(graph, told);
  return [first, ...runs].map(gathered);
};

test('a digest gathers the events that come within its window, which does not slide, and the next run those after it', () => {
  const events = replies(0, 10, 59, 61, 100, 200);
  expect(inAll(gathering({ windowMinutes: 60 }), { events })).toEqual([[[3, 0, 10, 59]], [[2, 61, 100]], [[1, 200]]]);
});

test('a digest goes on as soon as it has as many as it may', () => {
  const simulation = run(gathering({ windowMinutes: 60, max: 2 }), { events: replies(0, 10, 20) });
  expect(gathered(simulation)).toEqual([[2, 0, 10]]);
  expect(simulation.path.find(({ nodeId }) => nodeId === 'd')?.detail).toBe('would gather 2 events until 2027-03-01T10:10:00.000Z');
  expect(simulation.runs?.map(({ at }) => at)).toEqual(['2027-03-01T10:20:00.000Z']);
});

test('of events that come at one instant a digest takes as many as it may, and the runs after it the others', () => {
  const events = replies(0, 0, 0, 0, 0).map((event, n) => ({ ...event, data: { n } }));
  expect(inAll(gathering({ windowMinutes: 60, max: 1 }), { events })).toEqual([0, 1, 2, 3, 4].map((n) => [[1, n]]));
  expect(inAll(gathering({ windowMinutes: 60, max: 2 }), { events })).toEqual([[[2, 0, 1]], [[2, 2, 3]], [[1, 4]]]);
  expect(inAll(gathering({ windowMinutes: 60, max: 2 }, { reentry: 'always' }), { events })).toEqual([[[2, 0, 1]], [[2, 2, 3]], [[1, 4]]]);
});

test('what was kept goes into the digests after it, as many as each may have', () => {
  const later: LooseGraph = {
    ...chain(digest({ windowMinutes: 60, max: 2 }), MAIL, { id: 'w', kind: 'wait_delay', config: { minutes: 600 } }),
    triggers,
  };
  expect(inAll(later, { events: replies(0, 1, 2, 3, 4) })).toEqual([[[2, 0, 1]], [[2, 2, 3]], [[1, 4]]]);
});

test('a digest until a local time closes then', () => {
  const config = { until: { at: '18:00', timezone: 'contact' } };
  const told = { contact: { timezone: 'Asia/Tokyo' }, events: replies(0, 1379, 1381) };
  // 10:00 UTC is 19:00 in Tokyo.
  expect(inAll(gathering(config), told)).toEqual([[[2, 0, 1379]], [[1, 1381]]]);
});

test('events with another key have a digest of their own: at once where runs may go beside each other, else after the one before', () => {
  const of = (post: unknown, ...minutes: readonly number[]) =>
    minutes.map((min) => ({ type: 'reply', min, data: { n: min, post: { id: post } } }));
  const events = [...of('a', 0), ...of('b', 5, 6), ...of('a', 30), ...of('b', 64)];
  const config = { windowMinutes: 60, key: 'post.id' };
  const beside = run(gathering(config, { reentry: 'always' }), { events });
  expect([beside, ...(beside.runs ?? [])].map(gathered)).toEqual([[[2, 0, 30]], [[3, 5, 6, 64]]]);
  expect(beside.runs?.map(({ at }) => at)).toEqual(['2027-03-01T10:05:00.000Z']);
  const after = run(gathering(config), { events });
  expect([after, ...(after.runs ?? [])].map(gathered)).toEqual([[[2, 0, 30]], [[3, 5, 6, 64]]]);
  expect(after.runs?.map(({ at }) => at)).toEqual(['2027-03-01T11:00:00.000Z']);
});

test('what comes after the digest was left is kept for the next run, and a contact that enters once has none', () => {
  const later: LooseGraph = { ...chain(HOUR, MAIL, { id: 'w', kind: 'wait_delay', config: { minutes: 600 } }), triggers };
  const events = replies(0, 70, 80);
  const { runs } = run(later, { events });
  expect(runs?.map((each) => [each.at, ...gathered(each)])).toEqual([['2027-03-01T21:00:00.000Z', [2, 70, 80]]]);
  expect(run({ ...later, reentry: 'once_ever' }, { events }).runs).toBeUndefined();
  expect(inAll({ ...later, reentry: 'always' }, { events })).toEqual([[[1, 0]], [[2, 70, 80]]]);
});

test('a run that no event began has an empty digest, which may lead elsewhere', () => {
  const graph = {
    triggers,
    nodes: [TRIGGER, HOUR, MAIL, { id: 'none', kind: 'exit' }],
    edges: [
      { from: 'trigger', to: 'd' },
      { from: 'd', to: 'mail', branchKey: 'gathered' },
      { from: 'd', to: 'none', branchKey: 'empty' },
    ],
  };
  expect(run(graph)).toMatchObject({ endedBy: 'exit', sends: [] });
  expect(run(graph, { event: { type: 'else' } })).toMatchObject({ sends: [] });
  expect(run(graph, { event: { type: 'reply' } })).toMatchObject({ sends: ['welcome'] });
  expect(run(graph, { event: { type: 'reply' }, assume: { d: 'empty' } })).toMatchObject({ sends: [] });
});

test('an event that meets the goal ends the run while events gather', () => {
  const simulation = run(gathering({ windowMinutes: 60 }, { goal: { event: { type: 'read' } } }), {
    events: [...replies(0, 10), { type: 'read', min: 20 }, ...replies(30)],
  });
  expect(simulation).toMatchObject({ endedBy: 'goal', sends: [] });
  expect(simulation.runs).toMatchObject([{ at: '2027-03-01T10:30:00.000Z', endedBy: 'exit' }]);
});

test("the request's event ends no run by its goal at a digest that is full, or over, when the run comes there", () => {
  const goal = { event: { type: 'reply' } };
  const ends = (config: object) => run(gathering(config, { goal }), { event: { type: 'reply' } }).endedBy;
  expect(ends({ windowMinutes: 60, max: 1 })).toBe('exit');
  expect(ends({ until: { date: '2027-02-01' } })).toBe('exit');
  expect(ends({ windowMinutes: 60, max: 2 })).toBe('goal');
});

test('of several events one ends a wait, at its instant', () => {
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type: 'paid' }, timeoutMinutes: 60 } };
  const graph = { ...chain(wait, { id: 'x', kind: 'wait_delay', config: { minutes: 5 } }), triggers };
  const details = (told: Told) => run(graph, told).path.map(({ detail }) => detail);
  expect(details({ events: [...replies(0), { type: 'paid', min: 20 }] })).toContain('would wait for delay until 2027-03-01T10:25:00.000Z');
  expect(details({ events: [...replies(0), { type: 'paid', min: 61 }] })).toContain('would wait for delay until 2027-03-01T11:05:00.000Z');
});

test('a mail after a digest has what it requires of it', () => {
  const mails = { templates: { welcome: { type: 'marketing' as const, required: ['digest.count', 'digest.events'] } } };
  expect(run(gathering({ windowMinutes: 60 }), { events: replies(0), mails }).sends).toEqual(['welcome']);
  expect(run({ ...chain(MAIL), triggers }, { events: replies(0), mails }).sends).toEqual([]);
});

const throttling = (otherwise: string, settings: object = {}): LooseGraph => ({
  nodes: [TRIGGER, { id: 't', kind: 'throttle', config: { count: 2, window: 60, otherwise } }, MAIL, { id: 'end', kind: 'exit' }],
  edges: [
    { from: 'trigger', to: 't' },
    { from: 't', to: 'mail', branchKey: 'passed' },
    { from: 'mail', to: 'end' },
  ],
  ...{ triggers, reentry: 'always', ...settings },
});

test('a throttle lets so many runs pass in each window that slides, and drops the others', () => {
  const { runs = [], ...first } = run(throttling('drop'), { events: replies(0, 10, 20, 59, 60, 61, 71) });
  expect([first, ...runs].map(({ sends }) => sends.length)).toEqual([1, 1, 0, 0, 1, 0, 1]);
  expect(runs[1]).toMatchObject({
    endedBy: 'dead_end',
    path: [{}, { nodeId: 't', detail: 'would be dropped: 2 passed within 60 minutes' }],
  });
});

test("the request's event ends a run by its goal that a throttle delays, as at any other wait, and none that it lets pass", () => {
  const graph = throttling('delay', { goal: { event: { type: 'bought' } } });
  const event = { type: 'bought' };
  const passes = { t: [Date.parse('2027-03-01T09:50:00Z'), Date.parse('2027-03-01T09:55:00Z')] };
  expect(run(graph, { event, passes }).endedBy).toBe('goal');
  expect(run(graph, { event }).endedBy).toBe('exit');
});

test('a throttle that delays lets the others pass in the order in which they came', () => {
  const { runs = [] } = run(throttling('delay'), { events: replies(0, 10, 20, 30, 40) });
  const until = runs.map(({ path }) => path.find(({ nodeId }) => nodeId === 't')?.detail);
  expect(until.map((detail) => /until (\S+):/.exec(detail ?? '')?.[1] ?? detail)).toEqual([
    'would pass',
    '2027-03-01T11:00:00.000Z',
    '2027-03-01T11:10:00.000Z',
    '2027-03-01T12:00:00.000Z',
  ]);
});

test('what passed before the simulation counts', () => {
  const passes = { t: [Date.parse('2027-03-01T09:30:00Z'), Date.parse('2027-03-01T09:50:00Z')] };
  expect(run(throttling('drop'), { event: { type: 'reply' }, passes }).sends).toEqual([]);
  expect(run(throttling('drop'), { event: { type: 'reply' }, passes: { t: passes.t.slice(1) } }).sends).toEqual(['welcome']);
});

test('a pass is never one too many in any window, in whatever order instants are kept', () => {
  const passes: number[] = [];
  for (let now = 0; now < 3_000_000; now += 7_000) passes.unshift(passesAt({ count: 3, window: 1 }, passes, now));
  for (const end of passes) expect(passes.filter((at) => at > end - 60_000 && at <= end).length).toBeLessThanOrEqual(3);
});

test('a key is a text, a number or a boolean; anything else is none', () => {
  const data = { text: 'a', number: 5, no: false, list: ['x'], deep: { er: 'b' }, nothing: null };
  expect(
    ['text', 'number', 'no', 'list', 'deep', 'deep.er', 'nothing', 'else', 'text.length', undefined].map((path) =>
      gatheringKey(data, path),
    ),
  ).toEqual([...['a', '5', 'false', null, null, 'b', null, null, null, null]]);
});

test('a digest shows its latest events, as many as there is room for', () => {
  const events = Array.from({ length: 250 }, (_, n) => ({ data: { n } }));
  expect(latestShown(events)).toEqual(events.slice(-MAX_GATHERED));
  const large = events.map(({ data }) => ({ data: { ...data, text: 'x'.repeat(100 * 1024) } }));
  expect(latestShown(large)).toEqual(large.slice(-2));
});
