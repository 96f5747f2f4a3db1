import { expect, test } from 'vitest';
import type { SequenceGraph } from '../../../domain/sequences/graph.ts';
import { changedSteps, standingProblem } from '../../../domain/sequences/graph-changes.ts';
import { migrateProblems, readMigrate } from '../../../domain/sequences/migrate.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { chain, KNOWN, type LooseNode } from './graphs.ts';

function graphOf(...nodes: readonly LooseNode[]): SequenceGraph {
  const parsed = parseGraph(chain(...nodes), 'active', KNOWN);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.valid.graph;
}

const wait = (id: string, minutes: number, label?: string) => ({
  id,
  kind: 'wait_delay',
  config: { minutes },
  ...(label ? { label } : {}),
});

test('a step is changed by its kind and its config, and neither by what it is called nor by where it stands', () => {
  const before = graphOf(wait('a', 1), wait('b', 1), wait('c', 1), wait('d', 1));
  const mail = { id: 'c', kind: 'send_email', config: { template: 'welcome' } };
  const after = graphOf(wait('b', 2), wait('a', 1, 'The first'), mail);
  expect(changedSteps(before, after)).toEqual([
    { nodeId: 'b', change: 'changed' },
    { nodeId: 'c', change: 'changed' },
    { nodeId: 'd', change: 'removed' },
  ]);
  expect(changedSteps(after, after)).toEqual([]);
});

test('a run goes on at every node but the trigger', () => {
  const graph = graphOf(wait('a', 1));
  expect(graph.nodes.map(({ id }) => [id, standingProblem(graph, id)])).toEqual([
    ['trigger', 'trigger is the trigger, where no run goes on'],
    ['a', undefined],
    ['exit', undefined],
  ]);
  expect(standingProblem(graph, 'b')).toBe('the graph has no node b');
});

test.each([
  ['nothing', undefined, { migrate: undefined }],
  ['null', null, { migrate: undefined }],
  ['nodes', { a: 'b', c: null }, { migrate: { a: 'b', c: null } }],
  ['an array', [], { problems: [{ message: expect.stringContaining('an object like') }] }],
  ['a name that is no id', { 'a b': null }, { problems: [{ message: expect.stringContaining('migrate.a b: a node id is') }] }],
  ['a number', { a: 1 }, { problems: [{ message: 'migrate.a: the id of a node, or null to end their runs' }] }],
])('migrate may be %s, or says what it should be', (_, given, read) => {
  expect(readMigrate(given)).toEqual(read);
});

test('what is migrated from a node that nobody knows is told, also where it would end', () => {
  const graph = graphOf(wait('a', 1));
  expect(migrateProblems({ b: null, c: 'a' }, graph, (id) => id === 'c').map(({ message }) => message)).toEqual([
    'migrate.b: the graph that there was has no such node, and nobody stands at one',
  ]);
});
