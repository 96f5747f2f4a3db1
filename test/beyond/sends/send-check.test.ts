import { expect, test } from 'vitest';
import { mailNow } from '../../support/mail.ts';
import { newProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

test('what is told of recipients is what becomes of emails to them, and nothing is sent or written', async () => {
  const project = await newProject();
  await enableTemplates(project, 'newsletter');
  const { api } = project;
  must(await api.post('/topics', { key: 'offers', name: 'Offers' }), 201);
  const names = ['nobody', 'fine', 'gone', 'back', 'off', 'erased', 'suppressed'];
  const addresses = new Map(names.map((name) => [name, project.address(name)]));
  const address = (name: string): string => addresses.get(name) as string;
  const made = [
    { email: address('fine') },
    { email: address('gone'), status: 'unsubscribed' },
    { email: address('back'), status: 'bounced' },
    { email: address('off'), topics: { offers: false } },
    { email: address('erased') },
  ];
  const { contacts } = must(await api.post('/contacts', made), 200);
  must(await api.post('/suppressions', { email: address('suppressed'), reason: 'manual' }), 201);
  must(await api.post('/suppressions', { email: address('erased'), reason: 'complaint' }), 201);
  must(await api.delete(`/contacts/${contacts[4].id}`), 200);
  const recipients = [
    { to: `Ann <${address('nobody').toUpperCase()}>` },
    { contactId: contacts[0].id },
    { to: address('gone') },
    { contactId: contacts[2].id },
    { to: address('off') },
    { to: address('suppressed') },
    { to: address('erased') },
    { contactId: contacts[4].id },
  ];
  const check = async (body: object) => must(await api.post('/sends/check', { recipients, ...body }), 200);
  const reasonsOf = ({ results }: { results: { reason: string | null }[] }) => results.map(({ reason }) => reason);
  const told = await check({ template: 'newsletter', topic: 'offers' });
  expect(reasonsOf(told)).toEqual([null, null, 'unsubscribed', 'bounced', 'topic_off', 'suppressed', 'suppressed', 'not_found']);
  expect(told.willGet).toBe(2);
  // However they are written; a contact that there is not has nobody's address.
  const again = {
    recipients: [recipients[1], { to: `Fine <${address('fine').toUpperCase()}>` }, recipients[7], recipients[0], recipients[0]],
  };
  const repeated = await check({ type: 'transactional', ...again });
  expect(repeated.results.map(({ repeats }: { repeats: number | null }) => repeats)).toEqual([null, 0, null, null, 3]);
  const ofAll = [null, null, null, null, null, 'suppressed', 'suppressed', 'not_found'];
  expect(reasonsOf(await check({ type: 'transactional' }))).toEqual(ofAll);
  expect(must(await api.get('/sends'), 200).sends).toEqual([]);
  expect(await mailNow(`@to.${project.domain}`)).toEqual([]);

  const mails = recipients.map((recipient) => ({ ...recipient, template: 'newsletter', topic: 'offers', data: { title: 'News' } }));
  const { results } = must(await api.post('/send/batch', { mails }), 200);
  const became = results.map(({ ok, code, reason }: { ok: boolean; code?: string; reason?: string }) => (ok ? null : (reason ?? code)));
  expect(became).toEqual(reasonsOf(told));
});

test.each([
  ['invalid_request', 422, { type: 'transactional', topic: 'offers' }],
  ['invalid_request', 422, {}],
  ['invalid_request', 422, { type: 'marketing', recipients: [] }],
  ['invalid_request', 422, { type: 'marketing', recipients: [{ to: 'a@x.example, b@x.example' }] }],
  ['invalid_request', 422, { type: 'marketing', recipients: [{}] }],
  ['invalid_request', 422, { type: 'marketing', topic: 'of-nobody' }],
  ['unknown_template', 404, { template: 'of-nobody' }],
])('%s (%i) for a question that no email fits', async (code, status, body) => {
  const project = await newProject();
  must(await project.api.post('/topics', { key: 'offers', name: 'Offers' }), 201);
  const asked = { recipients: [{ to: project.address() }], ...body };
  expect(await project.api.post('/sends/check', asked)).toMatchObject({ status, body: { code } });
});
