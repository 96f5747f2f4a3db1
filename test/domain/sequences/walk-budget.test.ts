import { expect, test } from 'vitest';
import { SIMULATION_LIMITS } from '../../../domain/sequences/walk-budget.ts';
import { webhookCall } from '../../../domain/sequences/webhook-call.ts';
import { runningMs } from '../../support/running-ms.ts';
import { chain, type LooseGraph, TRIGGER } from './graphs.ts';
import { run } from './run.ts';

function updatingForEver(addTags: readonly string[]): LooseGraph {
  const node = (id: string) => ({ id, kind: 'update_contact', config: { addTags } });
  return {
    nodes: [TRIGGER, node('one'), node('two')],
    edges: [
      { from: 'trigger', to: 'one' },
      { from: 'one', to: 'two' },
      { from: 'two', to: 'one' },
    ],
  };
}

test('all the Liquid of a walk draws on one budget of running time, and the step that is beyond it says so', () => {
  const attributes = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a${n}`, '{% if now == 1 %}{% endif %}'.repeat(60)]));
  const node = (id: string) => ({ id, kind: 'update_contact', config: { set: { attributes } } });
  let simulation: ReturnType<typeof run> | undefined;
  // Five hundred nodes, each of which takes some milliseconds.
  const took = runningMs(() => {
    simulation = run({ ...updatingForEver([]), nodes: [TRIGGER, node('one'), node('two')] });
  });
  expect(simulation).toMatchObject({ endedBy: 'failed' });
  expect(simulation?.path.at(-1)?.detail).toBe('over the budget of 250 ms for all Liquid, updates and conditions together');
  expect(took).toBeLessThan(3 * SIMULATION_LIMITS.milliseconds);
});

test('all the Liquid of a walk draws on one budget of text', () => {
  const text = (characters: number): string => `{% for i in (1..100) %}${'x'.repeat(characters / 100)}{% endfor %}`;
  const set = (characters: number) => ({
    id: 'u',
    kind: 'update_contact',
    config: { set: { attributes: { a: text(characters), b: '{{ 1 }}' } } },
  });
  const within = run(chain(set(10_000)));
  expect(within).toMatchObject({ endedBy: 'exit' });
  const beyond = run({ ...updatingForEver([]), nodes: [TRIGGER, { ...set(10_000), id: 'one' }, { ...set(10_000), id: 'two' }] });
  expect(beyond).toMatchObject({ endedBy: 'failed' });
  expect(beyond.path.length).toBeLessThan(30);
  expect(beyond.path.at(-1)?.detail).toBe('over the budget of 200000 characters for all Liquid, updates and conditions together');
});

test('the body of a call is at most 1 MB, and what is more is no call', () => {
  const body = (times: number) =>
    webhookCall(
      { url: 'https://a.example', body: { text: `{% for i in (1..${times}) %}{{ piece }}{% endfor %}` } },
      { piece: '"'.repeat(1000) },
    );
  expect(body(500)).toMatchObject({ body: expect.stringContaining('\\"') });
  // A quote takes two characters of JSON.
  expect(body(600)).toEqual({ problem: 'the body is larger than 1 MB' });
  expect(body(1500)).toEqual({ problem: expect.stringContaining('over the budget of 1048576 characters') });
});
