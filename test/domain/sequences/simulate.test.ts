import { expect, test } from 'vitest';
import type { Simulation } from '../../../domain/sequences/simulate.ts';
import { chain, EXIT, fork, is, type LooseGraph, MAIL, TRIGGER } from './graphs.ts';
import { run } from './run.ts';

const nodesOf = ({ path }: Simulation): string => path.map(({ nodeId }) => nodeId).join(' ');
const attributes = (value: string) => ({ contact: { attributes: { is: value } } });
const on = (event: string, payload?: Record<string, unknown>) => ({ event: { type: event, ...(payload ? { payload } : {}) } });

test('the path has every node from the trigger to the exit, and the sends are template keys', () => {
  const simulation = run(chain({ id: 'd', kind: 'wait_delay', config: { minutes: 90 } }, MAIL));
  expect(simulation).toMatchObject({
    path: [
      { nodeId: 'trigger', kind: 'trigger' },
      { nodeId: 'd', kind: 'wait_delay', detail: expect.stringContaining('2027-03-01T11:30:00.000Z') },
      { nodeId: 'mail', kind: 'send_email', detail: expect.stringContaining('welcome') },
      { nodeId: 'exit', kind: 'exit' },
    ],
    sends: ['welcome'],
    endedBy: 'exit',
  });
  for (const { detail } of simulation.path) expect(detail).not.toBe('');
});

test('of the branches the first that holds wins, and default takes the rest', () => {
  const branches = [
    { key: 'one', when: is('1') },
    { key: 'also', when: { field: 'attributes.is', op: 'exists' } },
  ];
  const graph = fork({ id: 'b', kind: 'branch', config: { branches } }, ['one', 'also', 'default']);
  expect(nodesOf(run(graph, attributes('1')))).toBe('trigger b to_one');
  expect(nodesOf(run(graph, attributes('2')))).toBe('trigger b to_also');
  expect(nodesOf(run(graph))).toBe('trigger b to_default');
});

test('the shorthand of a branch has the outcomes true and false', () => {
  const graph = fork({ id: 'b', kind: 'branch', config: { when: is('1') } }, ['true', 'false']);
  expect(nodesOf(run(graph, attributes('1')))).toBe('trigger b to_true');
  expect(nodesOf(run(graph))).toBe('trigger b to_false');
});

test('an outcome without an edge is a dead end', () => {
  const graph = fork({ id: 'b', kind: 'branch', config: { when: is('1') } }, ['true']);
  expect(run(graph)).toMatchObject({ endedBy: 'dead_end' });
  expect(run({ nodes: [TRIGGER], edges: [] })).toMatchObject({ path: [{ nodeId: 'trigger' }], endedBy: 'dead_end' });
});

test('a split takes the same arm for the same contact every time, and the arms as their weights are', () => {
  const arms = [{ key: 'a', weight: 1 }, { key: 'b', weight: 3 }, { key: 'c' }];
  const graph = fork({ id: 's', kind: 'split', config: { arms } }, ['a', 'b', 'c']);
  const taken: Record<string, number> = {};
  for (let n = 0; n < 2_000; n++) {
    const contact = { id: `contact-${n}` };
    const way = nodesOf(run(graph, { contact }));
    expect(nodesOf(run(graph, { contact }))).toBe(way);
    taken[way] = (taken[way] ?? 0) + 1;
  }
  // Weights 1, 3 and 1 of 5; six standard deviations of 2,000 draws are below 140.
  expect(Math.abs((taken['trigger s to_a'] ?? 0) - 400)).toBeLessThan(140);
  expect(Math.abs((taken['trigger s to_b'] ?? 0) - 1200)).toBeLessThan(140);
  expect(Math.abs((taken['trigger s to_c'] ?? 0) - 400)).toBeLessThan(140);
});

test('two splits in one sequence do not take the same arm for everyone', () => {
  const arms = [{ key: 'a' }, { key: 'b' }];
  const split = (id: string, next: string) => ({
    nodes: [{ id, kind: 'split', config: { arms } }],
    edges: arms.map(({ key }) => ({ from: id, to: `${next}${key}`, branchKey: key })),
  });
  const [first, second, third] = [split('s', 'x'), split('xa', 'ya'), split('xb', 'yb')];
  const ends = ['yaa', 'yab', 'yba', 'ybb'].map((id) => ({ id, kind: 'exit' }));
  const graph = {
    nodes: [TRIGGER, ...first.nodes, ...second.nodes, ...third.nodes, ...ends],
    edges: [{ from: 'trigger', to: 's' }, ...first.edges, ...second.edges, ...third.edges],
  };
  const seen = new Set(Array.from({ length: 100 }, (_, n) => nodesOf(run(graph, { contact: { id: `c${n}` } }))));
  expect(seen.size).toBe(4);
});

test('what an update writes is what later nodes see', () => {
  const update = {
    id: 'u',
    kind: 'update_contact',
    config: {
      set: { firstName: '{{ event.name }}', attributes: { is: '{{ event.plan | upcase }}', gone: null } },
      addTags: ['new', '{{ event.plan }}'],
      removeTags: ['old'],
    },
  };
  const all = [
    is('PRO'),
    { field: 'attributes.gone', op: 'not_exists' },
    { field: 'contact.first_name', op: 'eq', value: 'Ada' },
    { field: 'contact.tags', op: 'contains', value: 'new' },
    { field: 'contact.tags', op: 'contains', value: 'pro' },
    { field: 'contact.tags', op: 'not_contains', value: 'old' },
  ];
  const contact = { tags: ['old'], attributes: { gone: 1 } };
  const before = chain({ id: 'g', kind: 'goal', config: { condition: { all } } }, update, {
    id: 'g2',
    kind: 'goal',
    config: { condition: { all } },
  });
  const { path, endedBy } = run(before, { contact, ...on('signup', { name: 'Ada', plan: 'pro' }) });
  expect({ path: path.map(({ nodeId }) => nodeId), endedBy }).toEqual({ path: ['trigger', 'g', 'u', 'g2'], endedBy: 'goal' });
});

test('an instant in a text of an update is written as the API shows it', () => {
  const set = { attributes: { is: '{{ contact.created_at }}' } };
  const graph = chain(
    { id: 'u', kind: 'update_contact', config: { set } },
    { id: 'g', kind: 'goal', config: { condition: is('2027-03-01T10:00:00.000Z') } },
  );
  expect(run(graph)).toMatchObject({ endedBy: 'goal' });
});

test('an update with a value that is not possible leaves it and says so', () => {
  const set = { firstName: '{{ event.name }}', timezone: '{{ event.zone }}' };
  const graph = chain(
    { id: 'u', kind: 'update_contact', config: { set, addTags: ['{{ event.tag }}'], status: 'unsubscribed' } },
    { id: 'g', kind: 'goal', config: { condition: { field: 'contact.status', op: 'eq', value: 'unsubscribed' } } },
  );
  const { path, endedBy } = run(graph, on('x', { name: 'y'.repeat(201), zone: 'Mars/Base', tag: '' }));
  expect(path[1]?.detail).toBe('contact updated, without firstName, timezone, tags: not a possible value');
  expect(endedBy).toBe('goal');
});

test('a goal that holds ends the run before its next node, after the trigger and after every update', () => {
  const goal = { condition: is('1') };
  const becomes = { id: 'u', kind: 'update_contact', config: { set: { attributes: { is: '1' } } } };
  expect(run({ ...chain(MAIL), goal }, attributes('1'))).toMatchObject({ path: [{ nodeId: 'trigger' }], sends: [], endedBy: 'goal' });
  const met = run({ ...chain(MAIL, becomes, { ...MAIL, id: 'mail2' }), goal });
  expect({ nodes: nodesOf(met), sends: met.sends, endedBy: met.endedBy }).toEqual({
    nodes: 'trigger mail u',
    sends: ['welcome'],
    endedBy: 'goal',
  });
});

test('the event that ends a wait may meet the goal, and then nothing follows', () => {
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type: 'paid' }, timeoutMinutes: 5 } };
  const goal = { event: { type: 'paid', match: { field: 'event.total', op: 'gte', value: 10 } } };
  const graph = { ...fork(wait, ['event', 'timeout']), goal };
  expect(run(graph, on('paid', { total: 10 }))).toMatchObject({ endedBy: 'goal' });
  expect(nodesOf(run(graph, on('paid', { total: 9 })))).toBe('trigger w to_event');
});

test('a goal node ends the run when its condition holds or when it has none', () => {
  const conditional = chain({ id: 'g', kind: 'goal', config: { condition: is('1') } }, MAIL);
  expect(run(conditional, attributes('1'))).toMatchObject({ endedBy: 'goal', sends: [] });
  expect(run(conditional)).toMatchObject({ endedBy: 'exit', sends: ['welcome'] });
  expect(run(chain({ id: 'g', kind: 'goal' }, MAIL))).toMatchObject({ endedBy: 'goal', sends: [] });
});

test('a wait for an event takes it when type and match fit, else the timeout', () => {
  const match = { field: 'event.plan', op: 'eq', value: 'pro' };
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type: 'paid', match }, timeoutMinutes: 5 } };
  const graph = fork(wait, ['event', 'timeout']);
  expect(nodesOf(run(graph, on('paid', { plan: 'pro' })))).toBe('trigger w to_event');
  expect(nodesOf(run(graph, on('paid', { plan: 'free' })))).toBe('trigger w to_timeout');
  expect(nodesOf(run(graph, on('left', { plan: 'pro' })))).toBe('trigger w to_timeout');
  expect(nodesOf(run(graph))).toBe('trigger w to_timeout');
});

test('a wait for a condition is met when it holds, else it takes the timeout', () => {
  const graph = fork({ id: 'w', kind: 'wait_until', config: { condition: is('1'), timeoutMinutes: 5 } }, ['met', 'timeout']);
  expect(nodesOf(run(graph, attributes('1')))).toBe('trigger w to_met');
  expect(nodesOf(run(graph))).toBe('trigger w to_timeout');
});

test('one edge without a key serves every outcome of a wait', () => {
  const graph = chain({ id: 'w', kind: 'wait_until', config: { event: { type: 'paid' }, timeoutMinutes: 5 } });
  expect(nodesOf(run(graph, on('paid')))).toBe('trigger w exit');
  expect(nodesOf(run(graph))).toBe('trigger w exit');
});

test('a wait for a time, a call and another sequence are passed at once', () => {
  const graph = chain(
    { id: 't', kind: 'wait_until', config: { time: { at: '09:00', timezone: 'contact', fallback: 'Europe/Berlin' } } },
    { id: 'c', kind: 'webhook', config: { url: 'https://a.example/hook', method: 'PUT' } },
    { id: 's', kind: 'subflow', config: { sequenceKey: 'other', mode: 'wait' } },
  );
  const { path, endedBy } = run(graph);
  expect({ nodes: path.map(({ nodeId }) => nodeId), endedBy }).toEqual({ nodes: ['trigger', 't', 'c', 's', 'exit'], endedBy: 'exit' });
  expect(path.map(({ detail }) => detail)).toEqual([
    expect.any(String),
    expect.stringContaining('2027-03-02T08:00:00.000Z'),
    'would call PUT https://a.example/hook',
    'would enroll into other and wait for its end',
    'the end',
  ]);
});

test('each wait counts from where the walk stands by then, not from when it began', () => {
  const days = (id: string) => ({ id, kind: 'wait_delay', config: { minutes: 2 * 1440 } });
  const morning = { id: 'm', kind: 'wait_until', config: { time: { at: '09:00', timezone: 'UTC' } } };
  const { path } = run(chain(days('a'), days('b'), days('c'), morning));
  const instants = path.flatMap(({ detail }) => /until (\S+)/.exec(detail)?.[1] ?? []);
  expect(instants).toEqual(['03-03T10:00', '03-05T10:00', '03-07T10:00', '03-08T09:00'].map((at) => `2027-${at}:00.000Z`));
});

test('assume decides for a branch, a split and a wait', () => {
  const branch = fork({ id: 'b', kind: 'branch', config: { when: is('1') } }, ['true', 'false']);
  expect(nodesOf(run(branch, { assume: { b: 'true' } }))).toBe('trigger b to_true');
  const split = fork({ id: 's', kind: 'split', config: { arms: [{ key: 'a' }, { key: 'b' }] } }, ['a', 'b']);
  for (const arm of ['a', 'b']) expect(nodesOf(run(split, { assume: { s: arm } }))).toBe(`trigger s to_${arm}`);
  const wait = fork({ id: 'w', kind: 'wait_until', config: { event: { type: 'paid' }, timeoutMinutes: 5 } }, ['event', 'timeout']);
  expect(nodesOf(run(wait, { assume: { w: 'event' } }))).toBe('trigger w to_event');
  expect(nodesOf(run(wait, { ...on('paid'), assume: { w: 'timeout' } }))).toBe('trigger w to_timeout');
  expect(run(branch, { assume: { b: 'true', toString: 'x' } })).toMatchObject({ endedBy: 'exit' });
});

test('a loop ends by the hop guard after 500 nodes, waits included', () => {
  const loop = (kind: string, config: object): LooseGraph => ({
    nodes: [TRIGGER, { id: 'n', kind, config }, EXIT],
    edges: [
      { from: 'trigger', to: 'n' },
      { from: 'n', to: 'n', branchKey: 'false' },
      { from: 'n', to: 'exit', branchKey: 'true' },
    ],
  });
  const branches = run(loop('branch', { when: is('1') }));
  expect({ hops: branches.path.length, endedBy: branches.endedBy }).toEqual({ hops: 500, endedBy: 'hop_guard' });
  const waits = run({
    nodes: [TRIGGER, { id: 'd', kind: 'wait_delay', config: { minutes: 60 } }],
    edges: [
      { from: 'trigger', to: 'd' },
      { from: 'd', to: 'd' },
    ],
  });
  expect({ hops: waits.path.length, endedBy: waits.endedBy }).toEqual({ hops: 500, endedBy: 'hop_guard' });
});

test('a chain of 500 nodes in all is no loop', () => {
  // 300 nodes are the most a graph can have, so a node is passed twice.
  const waits = Array.from({ length: 249 }, (_, n) => ({ id: `d${n}`, kind: 'wait_delay', config: { minutes: 1 } }));
  const again = { id: 'b', kind: 'branch', config: { when: is('2') } };
  const count = { id: 'u', kind: 'update_contact', config: { set: { attributes: { is: '{{ contact.attributes.is | plus: 1 }}' } } } };
  const graph = {
    nodes: [TRIGGER, ...waits.slice(0, 247), count, again, EXIT],
    edges: [
      ...[TRIGGER, ...waits.slice(0, 247), count].map(({ id }, index, all) => ({ from: id, to: all[index + 1]?.id ?? 'b' })),
      { from: 'b', to: 'exit', branchKey: 'true' },
      { from: 'b', to: 'd0', branchKey: 'false' },
    ],
  };
  // The trigger, twice 247 waits, the count and the question, and the exit: 500.
  const simulation = run(graph);
  expect({ hops: simulation.path.length, endedBy: simulation.endedBy }).toEqual({ hops: 500, endedBy: 'exit' });
});
