import { expect, test } from 'vitest';
import { type GraphProblem, parseGraph } from '../../../domain/sequences/validate.ts';
import { at, edge, problemsOf } from './graph-problems.ts';
import { chain, EXIT, fork, is, KNOWN, type LooseNode, MAIL, TRIGGER } from './graphs.ts';

const whole = (message: string): GraphProblem => ({ message });
const BRANCH = { id: 'b', kind: 'branch', config: { branches: [{ key: 'x', when: is('x') }] } };
const WAIT = { id: 'w', kind: 'wait_until', config: { event: { type: 'paid' }, timeoutMinutes: 5 } };

const KINDS = 'trigger, send_email, wait_delay, wait_until, digest, throttle, branch, split, update_contact, webhook, subflow, goal, exit';

const STRUCTURE: [string, object, GraphProblem[]][] = [
  ['no nodes', { edges: [] }, [whole('nodes: an array is required')]],
  ['no edges', { nodes: [TRIGGER] }, [whole('edges: an array is required')]],
  ['nodes that are no array', { nodes: {}, edges: [] }, [whole('nodes: not an array')]],
  ['edges that are no array', { nodes: [TRIGGER], edges: 'none' }, [whole('edges: not an array')]],
  [
    'a node that is none',
    { nodes: [TRIGGER, 7], edges: [] },
    [whole('nodes[1].id: a node id is 1 to 64 characters A-Z, a-z, 0-9, _ and -')],
  ],
  [
    'a node id with a space',
    { nodes: [TRIGGER, { id: 'a b', kind: 'exit' }], edges: [] },
    [whole('nodes[1].id: a node id is 1 to 64 characters A-Z, a-z, 0-9, _ and -')],
  ],
  ['an edge that is none', { nodes: [TRIGGER], edges: [{ from: 'trigger' }] }, [whole('edges[0].to: required')]],
  ['an unknown kind', chain({ id: 'n', kind: 'teleport' }), [at('n', `unknown kind "teleport"; known: ${KINDS}`)]],
  [
    'a kind that is a property of every object',
    chain({ id: 'n', kind: 'toString' }),
    [at('n', `unknown kind "toString"; known: ${KINDS}`)],
  ],
  ['no kind', chain({ id: 'n' } as LooseNode), [at('n', `unknown kind undefined; known: ${KINDS}`)]],
  [
    'a repeated id',
    chain(MAIL, { ...MAIL, id: 'exit' }),
    [at('exit', 'two nodes have this id'), at('exit', 'an edge leads out of an exit')],
  ],
  ['no trigger', { nodes: [EXIT], edges: [] }, [whole('there is no trigger node')]],
  ['two triggers', { nodes: [TRIGGER, { ...TRIGGER, id: 'second' }], edges: [] }, [whole('there is more than one trigger node')]],
  [
    'an edge into the trigger',
    { nodes: [TRIGGER, MAIL], edges: [edge('trigger', 'mail'), edge('mail', 'trigger')] },
    [at('trigger', 'an edge leads into the trigger')],
  ],
  [
    'an edge out of an exit',
    { nodes: [TRIGGER, EXIT, MAIL], edges: [edge('trigger', 'exit'), edge('exit', 'mail')] },
    [at('exit', 'an edge leads out of an exit')],
  ],
  [
    'edges from and to nowhere',
    { nodes: [TRIGGER], edges: [edge('trigger', 'gone'), edge('lost', 'trigger')] },
    [
      at('trigger', 'an edge leads to gone, which is no node'),
      whole('an edge comes from lost, which is no node'),
      at('trigger', 'an edge leads into the trigger'),
    ],
  ],
  ['an unreachable node', { nodes: [TRIGGER, MAIL], edges: [] }, [at('mail', 'no way leads here from the trigger')]],
  [
    'an island that leads around in itself',
    { nodes: [TRIGGER, MAIL, { ...MAIL, id: 'other' }], edges: [edge('mail', 'other'), edge('other', 'mail')] },
    [at('mail', 'no way leads here from the trigger'), at('other', 'no way leads here from the trigger')],
  ],
  [
    'two edges for one outcome',
    { nodes: [TRIGGER, MAIL, EXIT], edges: [edge('trigger', 'mail'), edge('trigger', 'exit')] },
    [at('trigger', 'two edges lead out')],
  ],
  [
    'two edges with one branch key',
    { nodes: [TRIGGER, BRANCH, EXIT], edges: [edge('trigger', 'b'), edge('b', 'exit', 'x'), edge('b', 'exit', 'x')] },
    [at('b', 'two edges have the branch key x')],
  ],
  [
    'an edge out of a branch without a branch key',
    chain(BRANCH),
    [at('b', 'an edge out of a branch needs a branch key; this node has x, default')],
  ],
  [
    'an edge out of a split without a branch key',
    chain({ id: 's', kind: 'split', config: { arms: [{ key: 'a' }, { key: 'b' }] } }),
    [at('s', 'an edge out of a split needs a branch key; this node has a, b')],
  ],
  ['an unknown key of a branch', fork(BRANCH, ['x', 'default', 'y']), [at('b', 'unknown branch key y; this node has x, default')]],
  [
    'the keys of a shorthand where branches are given',
    fork(BRANCH, ['true']),
    [at('b', 'unknown branch key true; this node has x, default')],
  ],
  [
    'the keys of branches at a shorthand',
    fork({ ...BRANCH, config: { when: is('x') } }, ['default']),
    [at('b', 'unknown branch key default; this node has true, false')],
  ],
  [
    'an unknown arm',
    fork({ id: 's', kind: 'split', config: { arms: [{ key: 'a' }, { key: 'b' }] } }, ['c']),
    [at('s', 'unknown branch key c; this node has a, b')],
  ],
  [
    'the key of a condition wait at an event wait',
    fork(WAIT, ['met', 'timeout']),
    [at('w', 'unknown branch key met; this node has event, timeout')],
  ],
  ['a branch key at a mail', fork(MAIL, ['sent']), [at('mail', 'unknown branch key sent; edges out of this node have none')]],
  [
    'a branch key at a time wait',
    fork({ id: 'w', kind: 'wait_until', config: { time: { at: '09:00' } } }, ['timeout']),
    [at('w', 'unknown branch key timeout; edges out of this node have none')],
  ],
  [
    'an edge for every outcome of a wait beside one for a single outcome',
    { nodes: [TRIGGER, WAIT, EXIT], edges: [edge('trigger', 'w'), edge('w', 'exit'), edge('w', 'exit', 'timeout')] },
    [at('w', 'an edge without a branch key serves every outcome, so another edge serves one twice')],
  ],
];

test.each(STRUCTURE)('%s: every problem is told, and nothing else', (_, body, problems) => {
  expect(problemsOf(body)).toEqual(problems);
});

test('a branch key that means the rest cannot be one of the branches, and no key comes twice', () => {
  const of = (...keys: string[]) => problemsOf(fork({ ...BRANCH, config: { branches: keys.map((key) => ({ key, when: is(key) })) } }, []));
  expect(of('default')).toEqual([at('b', 'config.branches[0].key: default is the key of the rest')]);
  expect(of('x', 'x')).toEqual([at('b', 'config.branches: each key once')]);
});

test('a condition that is too deep, or asks for an unknown field, is told where it stands', () => {
  const deep = { not: { not: { not: { not: { not: is('x') } } } } };
  expect(problemsOf(fork({ ...BRANCH, config: { when: deep } }, []))).toEqual([
    at('b', 'config.when.not.not.not.not.not: a condition has at most 5 levels'),
  ]);
  const [problem] = problemsOf(fork({ ...BRANCH, config: { when: { field: 'contact.phone', op: 'exists' } } }, []));
  expect(problem).toEqual(at('b', expect.stringMatching(/^config\.when\.field: one of contact\.status/) as never));
});

test('settings, nodes, edges and names are all told at once', () => {
  const body = {
    name: '',
    status: 'running',
    reentry: 'sometimes',
    cooldownHours: 0,
    goal: {},
    frequencyCap: { count: 1.5, windowHours: 1 },
    triggers: [
      { kind: 'time', config: {} },
      { kind: 'event', config: { type: '' } },
      { kind: 'segment', config: { segment: '' } },
    ],
    nodes: [TRIGGER, { id: 'mail', kind: 'send_email', config: { template: 'nope' } }, { id: 'lonely', kind: 'wat' }],
    edges: [edge('trigger', 'mail'), edge('mail', 'gone')],
  };
  expect(problemsOf(body)).toEqual([
    whole('name: 1 to 200 characters'),
    whole(expect.stringMatching(/^status: /) as never),
    whole(expect.stringMatching(/^reentry: /) as never),
    whole('cooldownHours: more than 0'),
    whole('goal: at least one of event and condition'),
    whole('frequencyCap.count: a whole number of at least 1'),
    whole('triggers[0].kind: the kind of a trigger is event, segment or date'),
    whole('triggers[1].config.type: 1 to 1000 characters'),
    whole('triggers[2].config.segment: the label of a segment, 1 to 100 characters'),
    at('lonely', `unknown kind "wat"; known: ${KINDS}`),
    at('mail', 'an edge leads to gone, which is no node'),
    at('lonely', 'no way leads here from the trigger'),
    at('mail', 'unknown template nope; known: welcome'),
  ]);
});

test('misspelt fields below the top level are refused, on it they are passed over', () => {
  expect(problemsOf({ ...chain(MAIL), colour: 'red', ok: true, key: 'other' })).toEqual([]);
  expect(problemsOf({ ...chain(MAIL), goal: { event: { type: 'x' }, even: 1 } })).toEqual([
    whole('goal.even: no such field; did you mean event?'),
  ]);
  expect(problemsOf({ ...chain(MAIL), frequencyCap: { count: 1, windowHours: 1, per: 'day' } })).toEqual([
    whole('frequencyCap.per: no such field; known: count, windowHours'),
  ]);
  const typo = [{ kind: 'event', config: { type: 'x', mach: is('x') }, enabled: true }];
  expect(problemsOf({ ...chain(MAIL), triggers: typo })).toEqual([whole('triggers[0].config.mach: no such field; did you mean match?')]);
});

test('a graph without nodes is for a sequence that is not active', () => {
  expect(problemsOf({ nodes: [], edges: [] })).toEqual([]);
  expect(problemsOf({ nodes: [], edges: [] }, 'active')).toEqual([whole('an active sequence needs nodes')]);
  expect(problemsOf({ nodes: [], edges: [], status: 'paused' }, 'active')).toEqual([]);
  expect(problemsOf({ nodes: [], edges: [], status: 'active' })).toEqual([whole('an active sequence needs nodes')]);
});

test('300 nodes are a graph, 301 are told as too many, and only that', () => {
  const waits = (count: number): LooseNode[] =>
    Array.from({ length: count }, (_, n) => ({ id: `w${n}`, kind: 'wait_delay', config: { minutes: 1 } }));
  expect(problemsOf(chain(...waits(298)))).toEqual([]);
  expect(problemsOf(chain(...waits(299)), 'active')).toEqual([whole('nodes: at most 300')]);
});

test('a graph of more than 256 KB, or nested without end, is refused', () => {
  const call = (body: unknown): LooseNode => ({ id: 'c', kind: 'webhook', config: { url: 'https://a.example', body } });
  expect(problemsOf(chain(call('x'.repeat(255 * 1024))))).toEqual([]);
  expect(problemsOf(chain(call('é'.repeat(129 * 1024))))).toEqual([whole('the graph is larger than 256 KB')]);
  const long = Array.from({ length: 300 }, (_, n) => `${n}`.padEnd(900, 'x'));
  const asks = { any: Array(1).fill({ field: 'event.x', op: 'in', value: long }) };
  const larger = [whole('the graph is larger than 256 KB')];
  expect(problemsOf({ ...chain(), goal: { condition: asks } })).toEqual(larger);
  expect(problemsOf({ ...chain(), triggers: [{ kind: 'event', config: { type: 'x', match: asks }, enabled: true }] })).toEqual(larger);
  let deep: unknown = 1;
  for (let level = 0; level < 50_000; level++) deep = [deep];
  expect(problemsOf(chain(call(deep)))).toEqual([whole('the graph is nested deeper than 100 levels')]);
});

test('a step may have a label of up to 200 characters', () => {
  expect(problemsOf(chain({ ...MAIL, label: 'x'.repeat(200) }))).toEqual([]);
  for (const label of ['', 7, 'x'.repeat(201)]) {
    expect(problemsOf(chain({ ...MAIL, label }))).toEqual([at('mail', 'label: 1 to 200 characters')]);
  }
});

test('null is the same as leaving out, in settings, configs and edges', () => {
  const bare = chain(MAIL);
  const nulls = {
    ...{ name: null, status: null, reentry: null, cooldownHours: null, goal: null, frequencyCap: null, triggers: null },
    nodes: [
      { ...TRIGGER, label: null, config: null },
      { ...MAIL, config: { template: 'welcome', subject: null, type: null, brand: null } },
      EXIT,
    ],
    edges: bare.edges.map((each) => ({ ...each, branchKey: null })),
  };
  expect(parseGraph(nulls, 'draft', KNOWN)).toEqual(parseGraph(bare, 'draft', KNOWN));
  const cleared = chain({ id: 'u', kind: 'update_contact', config: { set: { firstName: null } } });
  expect(parseGraph(cleared, 'draft', KNOWN)).toMatchObject({ valid: { graph: { nodes: cleared.nodes } } });
});

test('what an outcome leads to may be left open, and a goal may lead on', () => {
  expect(problemsOf(fork(BRANCH, []))).toEqual([]);
  expect(problemsOf(fork(WAIT, ['event']))).toEqual([]);
  expect(problemsOf(chain(WAIT, { id: 'g', kind: 'goal' }, { id: 'g2', kind: 'goal', config: { condition: is('x') } }))).toEqual([]);
  expect(problemsOf({ nodes: [TRIGGER], edges: [] })).toEqual([]);
  // Loops are allowed: the hop guard ends them.
  expect(problemsOf({ nodes: [TRIGGER, MAIL], edges: [edge('trigger', 'mail'), edge('mail', 'mail')] })).toEqual([]);
});
