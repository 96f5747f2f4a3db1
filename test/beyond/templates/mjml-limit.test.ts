import { expect, test } from 'vitest';
import { CONTENT_LIMITS } from '../../../domain/templates/content.ts';
import { newProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

const path = '/templates/newsletter/content';
const body = (inside: string, head = '') => `<mjml>${head}<mj-body>${inside}</mj-body></mjml>`;
const section = (inside: string) => `<mj-section><mj-column>${inside}</mj-column></mj-section>`;
const text = (words: string) => `<mj-text>${words}</mj-text>`;
/** As often as makes it nearly as large as content may be, `{"mjml":"…"}` and quotes that JSON escapes among it. */
const filled = (part: string) => part.repeat(Math.floor((CONTENT_LIMITS.bytes - 500) / (JSON.stringify(part).length - 2)));
const half = (part: string) => part.repeat(Math.floor((CONTENT_LIMITS.bytes - 500) / 2 / part.length));

const SLOW: readonly (readonly [string, string])[] = [
  ['many texts', body(section(filled(text('a'))))],
  ['many sections', body(filled(section(text('a'))))],
  ['many buttons', body(filled(section('<mj-button href="https://a.example">a</mj-button>')))],
];
const QUICK: readonly (readonly [string, string, readonly number[]])[] = [
  ['one long text', body(section(text(filled('word ')))), [200, 422]],
  ['many attributes', body(`<mj-section ${filled('a="b" ')}></mj-section>`), [422]],
  ['elements that nothing closes', body(filled('<mj-section>')), [422]],
  ['comments that never end', body(filled('<!-- a')), [422]],
];

test.each(SLOW)('MJML near its limit, of %s, is refused in its time, and the API answers meanwhile', async (_, mjml) => {
  const { api } = await newProject();
  let isSettled = false;
  const settled = api.put(path, { content: { mjml }, publish: true }).finally(() => {
    isSettled = true;
  });
  // A call that is held up until it is refused ends after that.
  let answered = 0;
  while (!isSettled) {
    expect((await api.get('/health')).status).toBe(200);
    if (!isSettled) answered++;
  }
  expect(await settled).toMatchObject({ status: 422, body: { code: 'invalid_content', issues: [{ path: 'content.mjml' }] } });
  expect(answered).toBeGreaterThan(0);
  // Whatever became of the thread, the next is compiled.
  must(await api.put(path, { content: { mjml: body(section(text('a'))) }, publish: true }), 200);
});

test.each(QUICK)('MJML near its limit, of %s, is compiled or refused in its time', async (_, mjml, statuses) => {
  const { api } = await newProject();
  expect(statuses).toContain((await api.put(path, { content: { mjml }, publish: true })).status);
});

test('MJML near its limit that is deep, and styles of such a size, are compiled', async () => {
  const { api } = await newProject();
  const deep = body(section(text(`${half('<b>').slice(0, 99_999)}a${'</b>'.repeat(33_333)}`)));
  const styled = body(section(text('a')), `<mj-head><mj-style inline="inline">${filled('.a b{color:red}')}</mj-style></mj-head>`);
  for (const mjml of [deep, styled]) must(await api.put(path, { content: { mjml }, publish: true }), 200);
});
