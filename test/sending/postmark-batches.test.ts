import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiHere, startApiHere } from '../support/api-here.ts';
import { type MailApiServer, startPostmark } from '../support/mail-apis.ts';
import { newProject, type TestProject } from '../support/project.ts';

let server: MailApiServer;
let here: ApiHere;
let project: TestProject;
beforeAll(async () => {
  server = await startPostmark();
  here = await startApiHere({ EMAIL_PROVIDER_URL: server.providerUrl });
  project = await newProject({ everpost: here });
});
afterAll(async () => {
  await here?.stop();
  await server?.close();
});

const mailsOf = (count: number) =>
  Array.from({ length: count }, () => ({ html: '<p>Hello</p>', subject: 'Hello', type: 'transactional', to: project.address() }));

interface Row {
  readonly id: string;
  readonly to_email: string;
  readonly status: string;
  readonly error: string | null;
  readonly provider_id: string | null;
}
const rowsOf = async (mails: readonly { readonly to: string }[]): Promise<Row[]> => {
  const asked = new Set(mails.map(({ to }) => to));
  const { sends } = (await project.api.get('/sends?limit=200')).body as { sends: Row[] };
  return sends.filter(({ to_email: to }) => asked.has(to));
};

test('a batch of emails goes to Postmark by few calls, and each row has the id that its own email was given', async () => {
  const mails = mailsOf(60);
  expect(await project.api.post('/send/batch', { mails })).toMatchObject({ status: 200 });
  const sizes = server.requests.map(({ body }) => JSON.parse(body).length as number);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(60);
  expect(sizes.length).toBeLessThanOrEqual(6);
  const rows = await rowsOf(mails);
  const taken = server.taken.map(({ sendId, id, recipients }) => [sendId, recipients[0], id]);
  expect(rows.map(({ id, to_email, provider_id }) => [id, to_email, provider_id]).toSorted()).toEqual(taken.toSorted());
});

test('emails that Postmark took, and whose answer was cut off, are not given to it again, however often their call is repeated', async () => {
  const before = server.taken.length;
  server.next(...Array(20).fill({ lost: 'hang up' }));
  const mails = mailsOf(20);
  const body = { mails, idempotencyKey: 'once' };
  for (let call = 0; call < 3; call++) await project.api.post('/send/batch', body);
  const taken = server.taken.slice(before).flatMap(({ recipients }) => recipients);
  expect(taken.toSorted()).toEqual(mails.map(({ to }) => to).toSorted());
  const rows = await rowsOf(mails);
  expect(rows.map(({ status, error }) => [status, error])).toEqual(Array(20).fill(['failed', expect.stringMatching(/^outcome_unknown/)]));
});
