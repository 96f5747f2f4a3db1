import { expect, test } from 'vitest';
import { Trigger } from '../../../domain/sequences/schema.ts';
import { STARTERS, starterGraph } from '../../../domain/sequences/starters/index.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { loadTemplateRegistry } from '../../../sending/compose/template-registry.ts';

const registry = await loadTemplateRegistry();
const shipped = registry.list('any').map(({ key }) => key);

test('six starters ship, each under a key of its own', () => {
  expect(STARTERS.map(({ key }) => key)).toEqual(['welcome', 'trial', 'cart', 'win-back', 'onboarding', 'invoice-reminder']);
});

test.each(STARTERS)(
  '$key is a valid graph that may be active, of templates that ship or that it brings, and is entered by its example',
  (starter) => {
    const brought = starter.templates.map(({ key }) => key);
    const known = { templates: [...shipped, ...brought], brands: [], topics: [], urlProblem: () => undefined };
    expect(parseGraph({ ...starter.graph, status: 'active' }, 'draft', known)).not.toHaveProperty('problems');
    const { nodes, triggers } = starterGraph(starter);
    const used = nodes.flatMap((node) => (node.kind === 'send_email' ? [node.config.template] : []));
    // No two steps look alike in the flow, in a simulation or in the list of runs.
    const called = nodes.map(
      ({ kind, label, config }) => label ?? `${kind} ${kind === 'send_email' ? config.template : JSON.stringify(config)}`,
    );
    expect(called.length - new Set(called).size).toBe(0);
    for (const key of brought) expect(used).toContain(key);
    expect(brought.filter((key) => shipped.includes(key))).toEqual([]);
    expect(triggers.map((one) => Trigger.parse(one)).map(({ kind, config }) => kind === 'event' && config.type)).toEqual([
      starter.example.event.type,
    ]);
  },
);

test('the trial reminds of as many days as are left of it, whatever the contact does', () => {
  const { graph } = STARTERS.find(({ key }) => key === 'trial')!;
  const { nodes, edges } = graph;
  /** Days until each mail that says how many are left, by every way to it. */
  const walk = (id: string, day: number): [number, unknown][] => {
    const node = nodes.find((one) => one.id === id)!;
    const minutes = node.kind === 'wait_delay' ? Number(node.config?.minutes) : 0;
    expect(node.kind).not.toBe('wait_until');
    const told: [number, unknown][] = node.kind === 'send_email' && node.config?.data ? [[day, node.config.data]] : [];
    const beyond = edges.filter(({ from }) => from === id).flatMap(({ to }) => walk(to, day + minutes / 1440));
    return [...told, ...beyond];
  };
  const told = walk('start', 0);
  expect(told.length).toBe(4);
  for (const [day, data] of told) expect(data).toEqual({ daysLeft: 14 - day });
});
