import { beforeAll, expect, test } from 'vitest';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const ONE = 'one address; more go into cc, bcc or a batch';

test.each<[string, object, string, string]>([
  ['a list of recipients', { to: ['a@x.example', 'b@x.example'] }, 'to', ONE],
  ['recipients in one text', { to: 'a@x.example, Ann <b@x.example>' }, 'to', ONE],
  ['a list of reply addresses', { replyTo: ['a@x.example'] }, 'replyTo', ONE],
  ['a name that is too long', { to: `${'n'.repeat(400)} <a@x.example>` }, 'to', 'the name before the address has at most'],
  ['a name with a comma', { to: 'Bell, Ann <a@x.example>' }, 'to', 'stands in quotes'],
  ['no address', { to: 'ann' }, 'to', 'not a valid address'],
  ['a sender as a text', { from: 'Ann <a@x.example>' }, 'from', 'an object { "email": "ann@example.com", "name": "Ann" }'],
])('%s: the refusal says what to write instead', async (_, fields, path, words) => {
  const { status, body } = await project.api.post('/send', { template: 'receipt', to: project.address(), ...fields });
  expect([status, body.code]).toEqual([422, 'invalid_request']);
  expect(body.issues).toMatchObject([{ path, message: expect.stringContaining(words) }]);
});

test('the number of an attachment that none can have is 404 and says what a number is', async () => {
  const { status, body } = await project.api.get('/sends/0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e04/attachments/-1');
  expect([status, body.error]).toEqual([404, expect.stringContaining('number: the place of an attachment in `attachments`, from 0')]);
});

test.each(['scheduled_at', 'scheduledAt', 'scheduleAt', 'send_at'])('who writes %s is told of sendAt', async (name) => {
  const mail = { template: 'receipt', to: project.address(), [name]: new Date().toISOString() };
  const warnings = [{ path: name, message: 'ignored: no such field; did you mean sendAt?' }];
  expect(must(await project.api.post('/send', mail), 200)).toMatchObject({ warnings });
  expect(must(await project.api.post('/send/batch', { mails: [mail] }), 200).results).toMatchObject([{ warnings }]);
});
