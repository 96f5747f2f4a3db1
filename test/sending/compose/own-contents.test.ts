import { afterAll, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../../platform/logger.ts';
import { createAuthoring } from '../../../sending/compose/authoring.ts';
import { createOwnContents, type OwnContents } from '../../../sending/compose/own-contents.ts';

const authoring = createAuthoring({ log: createLogger('silent', {}) });
afterAll(() => authoring.close());

/** What was compiled since the test began. */
let compilations: string[] = [];
let contents: OwnContents;

beforeEach(() => {
  compilations = [];
  contents = createOwnContents({
    compile(value, author) {
      compilations.push('blocks');
      return authoring.compile(value, author);
    },
    compileOwn(own, author) {
      compilations.push(own.html ?? `text ${own.text}`);
      return authoring.compileOwn(own, author);
    },
  });
});

test('ten thousand mails of one text are compiled once, also those that begin at the same time', async () => {
  const first = await Promise.all(Array.from({ length: 100 }, () => contents.ready('p', { html: '<p>{{ n }}</p>' })));
  for (let n = 0; n < 9900; n++) expect(await contents.ready('p', { html: '<p>{{ n }}</p>' })).toBe(first[n % 100]);
  expect(compilations).toEqual(['<p>{{ n }}</p>']);
});

test('every other content, and that of every other project, is compiled by itself', async () => {
  const asked = [
    ['p', { html: 'a' }],
    ['p', { text: 'a' }],
    ['p', { html: 'a', text: 'a' }],
    ['p', { blocks: { blocks: [] } }],
    ['other', { html: 'a' }],
  ] as const;
  const made = await Promise.all([...asked, ...asked].map(([project, content]) => contents.ready(project, content)));
  expect(compilations).toHaveLength(asked.length);
  const templates = made.map((one) => ('issues' in one ? undefined : one));
  expect(new Set(templates.map((template) => template?.id)).size).toBe(asked.length);
  // Whatever is slow in a project's own contents holds up its own alone.
  expect(templates.map((template) => template?.line)).toEqual([...asked, ...asked].map(([project]) => `own ${project}`));
});

test('content of one mail is compiled for it and kept nowhere, and what it says in braces is no Liquid', async () => {
  const asked = { html: '<p>{{ n }} {% if %}</p>', isLiteral: true };
  const [one, other] = [await contents.readyOnce('p', asked), await contents.readyOnce('p', asked)];
  expect(compilations).toHaveLength(2);
  expect(one).toMatchObject({ isOnce: true, line: 'own p' });
  expect((one as { id: string }).id).not.toBe((other as { id: string }).id);
  await contents.ready('p', { html: '<p>{{ n }}</p>' });
  await contents.ready('p', { html: '<p>{{ n }}</p>' });
  expect(compilations).toHaveLength(3);
});

test('what is kept is bounded, and what was used last stays', async () => {
  const large = (n: number) => ({ html: `${n}${'x'.repeat(490_000)}` });
  for (let n = 0; n < 40; n++) {
    await contents.ready('p', { html: 'used' });
    await contents.ready('p', large(n));
  }
  expect(compilations).toHaveLength(41);
  await contents.ready('p', { html: 'used' });
  await contents.ready('p', large(39));
  expect(compilations).toHaveLength(41);
  await contents.ready('p', large(0));
  expect(compilations).toHaveLength(42);
});

test('a refusal is not kept: what was too slow once may have met a busy machine', async () => {
  for (let n = 0; n < 2; n++) expect(await contents.ready('p', { html: '{% foo %}' })).toMatchObject({ issues: [{ path: 'html' }] });
  expect(compilations).toHaveLength(2);
});
