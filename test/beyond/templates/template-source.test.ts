import { expect, test } from 'vitest';
import { newProject } from '../../support/project.ts';

const text = (words: string) => ({ blocks: [{ type: 'text', text: words }] });
const FIELD = { path: 'title', kind: 'string', sample: 'Pottery' };
const TEMPLATE = { type: 'transactional', name: 'Booking', subject: 'Booked: {{ title }}', dataSchema: [FIELD], content: text('First') };

test('a source has what emails say in each language, what is set, and the versions to change it from; drafts are only told', async () => {
  const { api, domain } = await newProject();
  await api.post('/templates', { key: 'booking', ...TEMPLATE });
  const source = async (key = 'booking') => (await api.get(`/templates/${key}/source`)).body;
  const unchanged = { version: 0, published: false, draft: false };
  expect(await source()).toMatchObject({
    ...{ ok: true, key: 'booking', type: 'transactional', name: 'Booking', description: '', own: true, enabled: false, from: null },
    ...{ subject: 'Booked: {{ title }}', dataSchema: [FIELD], schemaVersion: 1 },
    languages: [{ locale: null, subject: 'Booked: {{ title }}', content: text('First'), ...unchanged }],
  });
  const from = { email: `hello@${domain}`, name: 'Studio' };
  await api.put('/templates/booking', { enabled: true, from });
  await api.call('PATCH', '/templates/booking', { name: 'Bookings', description: 'Of places' });
  await api.put('/templates/booking/schema', { dataSchema: [] });
  await api.put('/templates/booking/content', { content: text('Second'), subject: 'Booked', publish: true });
  await api.put('/templates/booking/content', { content: text('Zweiter'), subject: 'Gebucht', publish: true, locale: 'de' });
  await api.put('/templates/booking/content', { content: text('Brouillon'), locale: 'fr' });
  await api.put('/templates/booking/content', { content: text('A draft') });
  expect(await source()).toMatchObject({
    ...{ name: 'Bookings', description: 'Of places', enabled: true, from, subject: 'Booked', dataSchema: [], schemaVersion: 2 },
    languages: [
      { locale: null, subject: 'Booked', content: text('Second'), version: 4, published: true, draft: true },
      { locale: 'de', subject: 'Gebucht', content: text('Zweiter'), version: 2, published: true, draft: false },
      { locale: 'fr', subject: '', content: null, version: 3, published: false, draft: true },
    ],
  });

  const tags = async () => (await source('confirm-subscription')).languages.map(({ locale }: { locale: string | null }) => locale);
  expect(await tags()).toEqual([null, 'de', 'es', 'fr']);
  await api.put('/templates/confirm-subscription/content', { content: text('Please confirm'), publish: true });
  expect(await tags()).toEqual([null]);
  expect((await api.get('/templates/nothing/source')).body.code).toBe('unknown_template');
});

test('a check tells all that writing would be refused for, and writes nothing', async () => {
  const { api, domain, newKey } = await newProject();
  const check = async (change: object, key = 'booking') => api.post(`/templates/${key}/check`, { ...TEMPLATE, ...change });
  const whole = { from: { email: `hello@${domain}` }, languages: { de: { subject: 'Gebucht', content: text('Hallo') } } };
  expect(await check(whole)).toMatchObject({ status: 200, body: { key: 'booking', exists: false } });
  expect((await api.get('/templates/booking/source')).status).toBe(404);
  await api.post('/templates', { key: 'booking', ...TEMPLATE });
  expect((await check({ content: undefined })).body).toMatchObject({ exists: true });

  const broken = text('{{ broken');
  const invalid = await check({ subject: '{{ a', content: broken, languages: { de: { subject: '{{ b', content: broken } } });
  expect(invalid).toMatchObject({ status: 422, body: { code: 'invalid_content' } });
  expect(invalid.body.issues.map(({ path }: { path: string }) => path)).toEqual([
    'subject',
    'languages.de.subject',
    'content.blocks[0].text',
    'languages.de.content.blocks[0].text',
  ]);
  expect((await check({ name: 'x'.repeat(300), dataSchema: [{ path: 'a b', kind: 'string' }] })).body.issues).toHaveLength(2);
  // How many there are is told before what is wrong with each.
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`x-${at}`, 'nothing']));
  expect((await check({ languages: many })).body.issues).toEqual([{ path: 'languages', message: 'at most 50 languages' }]);
  expect((await check({ from: { email: 'a@unverified.example' } })).body.code).toBe('invalid_from');
  expect((await check({}, 'no%20key')).body.code).toBe('not_found');
  const reader = await newKey(['templates:read']);
  expect((await reader.api.post('/templates/booking/check', TEMPLATE)).status).toBe(403);
});
