import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { parseLiquid } from '../../../domain/templates/liquid.ts';
import { heldBy, liquidCharacters } from '../../../domain/templates/liquid-size.ts';
import type { Measured } from './held-memory-thread.ts';

const thread = new Worker(new URL('./held-memory-thread.ts', import.meta.url));
afterAll(() => thread.terminate());

/** Bytes. */
async function held(measured: Measured): Promise<number> {
  thread.postMessage(measured);
  const [kept] = (await once(thread, 'message')) as [number];
  return kept;
}

test.each([
  ['no Liquid', 0],
  ['a {{ b }} c', 7],
  ['{% if a %}x{% endif %}', 21],
  ['{{ "}}" | append: "%}" }}', 25],
  ['{ { {a} {{', 2],
  ['{% never closed', 15],
  ['{{ "never closed }}', 19],
])('of %j, so many characters are within tags and outputs: %d', (source, count) => {
  expect(liquidCharacters(source)).toBe(count);
});

test.each([
  ['fixed text', 'Fixed text of a letter. '.repeat(10_000)],
  ['filters', `{{a${'|append:a'.repeat(7000)}}}`],
  ['operands', `{% if a ${'or a '.repeat(12_000)}%}{% endif %}`],
  ['outputs', '{{x}}'.repeat(5000)],
  ['paths', `{{ ${'a.'.repeat(30_000)}a }}`],
  ['tags', '{% assign a = b %}'.repeat(3000)],
])('a parsed source of %s keeps no more memory than it counts as', async (_, source) => {
  expect(parseLiquid(source, 'html').length).toBeGreaterThan(0);
  expect(await held({ source })).toBeLessThan(heldBy(source));
});

test('dates are remembered while they are short, whatever their format', async () => {
  const formats = Array.from({ length: 100 }, (_, index) => `${index}${'%Y '.repeat(5000)}`);
  expect(await held({ formats })).toBeLessThan(1_000_000);
});
