import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SequenceGraph } from '../../../domain/sequences/graph.ts';
import { type ShortLoop, shortLoops } from '../../../domain/sequences/short-loops.ts';
import { leastRunningMs } from '../../support/running-ms.ts';
import { is } from './graphs.ts';

const delay = (id: string, minutes: number) => ({ id, kind: 'wait_delay', config: { minutes } });
const branch = (id: string) => ({ id, kind: 'branch', config: { when: is('x') } });

function graphOf(nodes: readonly object[], edges: readonly (readonly [string, string, string?])[]): SequenceGraph {
  const ways = edges.map(([from, to, branchKey]) => ({ from, to, ...(branchKey === undefined ? {} : { branchKey }) }));
  return { nodes, edges: ways, triggers: [], goal: null } as unknown as SequenceGraph;
}

const loopsOf = (...given: Parameters<typeof graphOf>): readonly ShortLoop[] => shortLoops(graphOf(...given));

test('a loop is told whose waits add up to less than a minute, in the order in which a run goes round', () => {
  const nodes = [delay('a', 0.3), branch('b'), delay('c', 0.6)];
  const edges = [
    ['a', 'b'],
    ['b', 'c', 'true'],
    ['c', 'a'],
  ] as const;
  expect(loopsOf(nodes, edges)).toEqual([{ nodeIds: ['a', 'b', 'c'], minutes: 0.8999999999999999 }]);
  expect(loopsOf([delay('a', 0.4), ...nodes.slice(1)], edges)).toEqual([]);
});

test('a node that leads to itself is a loop, and of the ways round the shortest counts', () => {
  expect(loopsOf([delay('a', 0.0001)], [['a', 'a']])).toEqual([{ nodeIds: ['a'], minutes: 0.0001 }]);
  const nodes = [branch('a'), delay('long', 5), delay('short', 0.5)];
  const edges = [
    ['a', 'long', 'true'],
    ['a', 'short', 'false'],
    ['long', 'a'],
    ['short', 'a'],
  ] as const;
  expect(loopsOf(nodes, edges)).toEqual([{ nodeIds: ['a', 'short'], minutes: 0.5 }]);
});

const wait = (config: object) => ({ id: 'w', kind: 'wait_until', config });

test.each([
  ['an event has to come each time', wait({ event: { type: 't' }, timeoutMinutes: 0.1 }), 'event', undefined],
  ['an event does not come', wait({ event: { type: 't' }, timeoutMinutes: 0.1 }), 'timeout', 0.1],
  ['whatever ends it', wait({ event: { type: 't' }, timeoutMinutes: 0.1 }), undefined, 0.1],
  ['a condition may hold already', wait({ condition: is('x'), timeoutMinutes: 9 }), 'met', 0],
  ['a condition does not hold', wait({ condition: is('x'), timeoutMinutes: 9 }), 'timeout', undefined],
  ['a time of the day comes once a day', wait({ time: { at: '09:00' } }), undefined, undefined],
  ['a date that is over holds up nobody', wait({ time: { date: '2020-01-01' } }), undefined, 0],
  [
    'another run is waited for, which cannot be entered',
    { id: 'w', kind: 'subflow', config: { sequenceKey: 's', mode: 'wait' } },
    undefined,
    0,
  ],
  ['another run is begun', { id: 'w', kind: 'subflow', config: { sequenceKey: 's' } }, undefined, 0],
  ['a call is no wait', { id: 'w', kind: 'webhook', config: { url: 'https://x.example/' } }, undefined, 0],
  ['a mail is no wait', { id: 'w', kind: 'send_email', config: { template: 'welcome' } }, undefined, 0],
])('where %s, a loop counts so much of it', (_, node, key, minutes) => {
  expect(loopsOf([node], [key === undefined ? ['w', 'w'] : ['w', 'w', key]])).toEqual(
    minutes === undefined ? [] : [{ nodeIds: ['w'], minutes }],
  );
});

test('of every random graph a loop is told if and only if there is one, and it is one', () => {
  const ids = ['n0', 'n1', 'n2', 'n3', 'n4'];
  const graphs = fc.record({
    minutes: fc.array(fc.constantFrom(0, 0.2, 0.45, 0.7, 2), { minLength: 5, maxLength: 5 }),
    edges: fc.uniqueArray(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { maxLength: 12, selector: String }),
  });
  fc.assert(
    fc.property(graphs, ({ minutes, edges }) => {
      const minutesAt = (id: string) => minutes[ids.indexOf(id)]!;
      const leads = (from: string, to: string) => edges.some(([source, target]) => source === from && target === to);
      const found = loopsOf(
        ids.map((id) => delay(id, minutesAt(id))),
        edges,
      );
      for (const { nodeIds } of found) {
        expect(nodeIds.every((id, index) => leads(id, nodeIds[(index + 1) % nodeIds.length]!))).toBe(true);
        expect(nodeIds.reduce((sum, id) => sum + minutesAt(id), 0)).toBeLessThan(1);
      }
      const goesRound = (path: readonly string[], sum: number): boolean => {
        const at = path.at(-1)!;
        const total = sum + minutesAt(at);
        if (total >= 1) return false;
        return leads(at, path[0]!) || ids.some((next) => leads(at, next) && !path.includes(next) && goesRound([...path, next], total));
      };
      expect(found.length > 0).toBe(ids.some((id) => goesRound([id], 0)));
    }),
  );
});

test.each([0, 0.004, 0.4])('the largest graph whose nodes wait %d minutes is looked through within 50 ms', (minutes) => {
  const nodes = Array.from({ length: 300 }, (_, n) => delay(`n${n}`, minutes));
  const edges = Array.from({ length: 3000 }, (_, n) => [`n${n % 300}`, `n${(n * 7 + Math.floor(n / 300)) % 300}`] as const);
  const graph = graphOf(nodes, edges);
  expect(leastRunningMs(() => void shortLoops(graph), 50)).toBeLessThan(50);
});
