import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ComposeRequest, ComposeTemplate } from '../../sending/compose/compose-request.ts';
import { createComposer } from '../../sending/compose/composer.ts';
import { failure, OPTIONS, readMessage, requestFor, templateOf, text } from '../sending/compose/composers.ts';

const numbers = Array.from({ length: 100_000 }, (_, index) => index);
/** Looked at by one operator after the other, between which nothing looks at the time. */
const COMPARISONS = `{% if slow ${'contains 0.5 or slow '.repeat(3000)} %}{% endif %}`;
/** 120 MB: more than a thread may have here, quick to hand over, and far from twice as much, at which V8 would end the whole process. */
const NUMBERS = new Array(15_000_000).fill(0);

describe('a thread that one mail holds up', () => {
  // With little memory left a mail takes long for lack of it: that is not what it may be ended for there.
  const composers = {
    time: createComposer(OPTIONS),
    memory: createComposer({ ...OPTIONS, heapMb: 100, mailMs: 20_000 }),
  };
  let template: ComposeTemplate;
  beforeAll(async () => {
    template = await templateOf(text(`For {{ name }}${COMPARISONS}`));
  });
  afterAll(() => Promise.all(Object.values(composers).map((composer) => composer.close())));

  const batch = (hostile: Readonly<Record<number, Record<string, unknown>>>): ComposeRequest[] =>
    Array.from({ length: 100 }, (_, index) => requestFor(template, { data: { name: `number ${index}.`, ...hostile[index] } }));

  test.each([
    ['time' as const, { slow: numbers }, 'too slow to render'],
    ['memory' as const, { large: NUMBERS, slow: numbers }, 'too large to render'],
  ])(
    'is ended when it takes too much %s: of its batch only that mail is lost, and the next batch is composed',
    async (what, data, message) => {
      const composer = composers[what];
      const composed = await composer.compose(batch({ 41: data }));
      expect(failure(composed[41])).toBe(message);
      expect(composed.filter(({ ok }) => ok)).toHaveLength(99);
      for (const [index, one] of composed.entries())
        if (one.ok) expect(readMessage(one).text).toMatch(new RegExp(`^For number ${index}\\.\\r\\n`));
      expect((await composer.compose(batch({}))).every(({ ok }) => ok)).toBe(true);
    },
    600_000,
  );

  test('is ended for each of several such mails, and for none of the others', async () => {
    const composed = await composers.time.compose(
      batch({ 0: { slow: numbers }, 63: { slow: numbers }, 64: { slow: numbers }, 99: { slow: numbers } }),
    );
    expect(composed.flatMap((one, index) => (one.ok ? [] : [index]))).toEqual([0, 63, 64, 99]);
  });
});
