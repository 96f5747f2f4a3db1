import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { parseLiquid, runLiquid } from '../../../domain/template/liquid.ts';
import { heldBy, liquidCharacters } from '../../../domain/template/liquid-size.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

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
])('a parsed source of %s keeps no more memory than it counts as', (_, source) => {
  collect();
  const before = process.memoryUsage().heapUsed;
  const parsed = parseLiquid(source, 'html');
  collect();
  const kept = process.memoryUsage().heapUsed - before;
  expect(parsed.length).toBeGreaterThan(0);
  expect(kept).toBeLessThan(heldBy(source));
});

test('dates are remembered while they are short, whatever their format', () => {
  const write = (format: string) => runLiquid(parseLiquid(`{{ d | date: "${format}" }}`), { d: '2026-05-04T00:00:00Z' }, 'text');
  write('%A');
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 100; index++) write(`${index}${'%Y '.repeat(5000)}`);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(1_000_000);
});
