import { beforeAll, describe, expect, test } from 'vitest';
import { mailCount, mailNow, scriptMail } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome', 'password-reset');
});

interface Result {
  readonly ok: boolean;
  readonly id?: string;
  readonly code?: string;
  readonly replayed?: true;
}

async function batch(mails: readonly unknown[], given: object = {}, on = project): Promise<Result[]> {
  return must(await on.api.post('/send/batch', { mails, ...given }), 200).results;
}

const receipt = (to: string, data: object = { name: 'Ada' }) => ({ template: 'receipt', to, data });
const outcomes = (results: readonly Result[]) => results.map(({ ok, code, replayed }) => (ok ? (replayed ? 'replayed' : 'sent') : code));

test('each mail is answered in its place as POST /send answers it, and a bad one fails alone', async () => {
  const [suppressed, bounced, refused] = [project.address(), project.address(), project.address()];
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  await newContact(project, bounced, { status: 'bounced' });
  await scriptMail(refused, { rejectRecipient: { code: 550, message: '5.7.1 not here' } });
  const other = await newProject();
  const mails = [
    receipt(project.address()),
    { template: 'receipt', to: 'nobody', subject: 7, data: [] },
    { template: 'receipt' },
    { tempalte: 'receipt', to: project.address() },
    { ...receipt(project.address()), form: 'x', from: { email: `a@${project.domain}`, nmae: 'x' } },
    null,
    'a text',
    [],
    { template: 'reciept', to: project.address() },
    { template: 'newsletter', to: project.address() },
    { template: 'receipt', contactId: await newContact(other, other.address()) },
    { ...receipt(project.address()), brand: 'nobodys' },
    { ...receipt(project.address()), brand: project.slug },
    { ...receipt(project.address()), from: { email: 'a@elsewhere.example' } },
    receipt(suppressed),
    { template: 'welcome', to: bounced },
    { template: 'password-reset', to: project.address() },
    receipt(refused),
    { ...receipt(project.address(), { nmae: 'Ada' }), subject: 'For {{ nmea }}' },
    { ...receipt(project.address()), idempotencyKey: 'x'.repeat(201) },
    receipt(project.address()),
  ];
  const results = await batch(mails);
  expect(results).toHaveLength(mails.length);
  for (const place of [0, 20])
    expect((await mailNow((mails[place] as { to: string }).to)).map(({ raw }) => /^message-id: <(.*)>/im.exec(raw)?.[1])).toEqual([
      results[place]?.id,
    ]);
  for (const [place, mail] of mails.entries()) {
    const { body: single } = await project.api.post('/send', mail);
    // Of what no object is the framework says so before the route is asked.
    const isObject = mail !== null && typeof mail === 'object' && !Array.isArray(mail);
    const alone = isObject
      ? single
      : {
          ok: false,
          code: 'invalid_request',
          error: expect.any(String),
          issues: expect.arrayContaining([{ path: '', message: 'not an object' }]),
        };
    expect({ place, result: results[place] }).toEqual({ place, result: alone.id ? { ...alone, id: expect.any(String) } : alone });
  }
  expect(outcomes(results).filter((outcome) => outcome === 'sent')).toHaveLength(5);
});

test('a mail with a character or a number that cannot be kept fails alone, as it does by POST /send', async () => {
  const [fine, surrogate] = [project.address(), project.address()];
  const bad = [
    '{ "template": "receipt", "to": "x\\u0000@x.example" }',
    `{ "template": "receipt", "to": "${fine}", "data": { "n": [1e999, 12345678901234567890] } }`,
    '{ "template": "receipt", "nmae": 1e999 }',
    '1e999',
  ];
  const good = [JSON.stringify(receipt(fine)), `{ "template": "receipt", "to": "${surrogate}", "subject": "\\ud800" }`];
  const call = (mails: readonly string[], more = '') => project.api.call('POST', '/send/batch', `{ "mails": [${mails}]${more} }`);
  const results: Result[] = must(await call([...bad, ...good]), 200).results;
  expect(outcomes(results)).toEqual([...bad.map(() => 'invalid_request'), 'sent', 'sent']);
  for (const [place, text] of bad.slice(0, 3).entries())
    expect(results[place]).toEqual((await project.api.call('POST', '/send', text)).body);
  expect(await mailCount(fine)).toBe(1);
  // What is wrong beside the mails, or with more of them than can be told, is wrong with the whole.
  const whole = await call(good, ', "idempotencyKey": "\\u0000"');
  expect([whole.status, whole.body.issues]).toEqual([422, [expect.objectContaining({ path: 'idempotencyKey' })]]);
  expect((await call([`{ "data": [${'1e999,'.repeat(150)}1] }`, ...good])).status).toBe(422);
  expect(await mailCount(fine)).toBe(1);
});

describe('a key for the batch', () => {
  test('lets it be repeated: what has gone stays so, a changed mail alone is refused, and what was wrong goes when it is right', async () => {
    const key = project.address();
    const people = [project.address(), project.address(), project.address()] as const;
    const mails = [receipt(people[0]), receipt(people[1]), { template: 'password-reset', to: people[2] }, { template: 'receipt' }];
    const first = await batch(mails, { idempotencyKey: key });
    expect(outcomes(first)).toEqual(['sent', 'sent', 'send_failed', 'invalid_request']);
    const again = await batch([receipt(people[0]), receipt(people[1], { name: 'Eve' }), mails[2], receipt(people[2])], {
      idempotencyKey: key,
    });
    expect(outcomes(again)).toEqual(['replayed', 'idempotency_key_reuse', 'send_failed', 'sent']);
    expect(again[0]).toEqual({ ...first[0], replayed: true });
    expect(again[2]).toEqual({ ...first[2], replayed: true });
    // A mail goes by its place: the same as if it had named that key itself.
    const one = await project.api.post('/send', receipt(people[1]), { headers: { 'idempotency-key': `${key}[1]` } });
    expect([one.body.id, one.headers.get('idempotent-replayed')]).toEqual([first[1]?.id, 'true']);
    for (const to of people) expect(await mailCount(to)).toBe(1);
  });

  test('may stand in the header, gives way to the key of a mail, and is of one project', async () => {
    const key = project.address();
    const to = project.address();
    const mails = [receipt(to), { ...receipt(to), idempotencyKey: `${key} own` }];
    const call = (on: TestProject, given: object = {}) =>
      on.api.post('/send/batch', { mails, ...given }, { headers: { 'idempotency-key': key } });
    expect(outcomes(must(await call(project), 200).results)).toEqual(['sent', 'sent']);
    expect(outcomes(must(await call(project, { idempotencyKey: key }), 200).results)).toEqual(['replayed', 'replayed']);
    expect((await call(project, { idempotencyKey: 'another' })).body).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'idempotencyKey' }],
    });
    expect(outcomes(await batch([receipt(project.address()), ...mails.slice(1)], { idempotencyKey: 'fresh' }))).toEqual([
      'sent',
      'replayed',
    ]);
    const other = await newProject();
    await enableTemplates(other, 'receipt');
    expect(outcomes(must(await call(other), 200).results)).toEqual(['sent', 'sent']);
    expect(await mailCount(to)).toBe(4);
  });

  test('and keys of mails hold against the same batch at the same time, whatever its order', async () => {
    const mails = Array.from({ length: 120 }, () => receipt(project.address('same-time')));
    const keyed = mails.map((mail) => ({ ...mail, idempotencyKey: mail.to }));
    const [name] = [project.address()];
    const calls = [mails, mails, mails, keyed, keyed.toReversed(), keyed].map((each, n) =>
      batch(each, n < 3 ? { idempotencyKey: name } : {}),
    );
    const answers = (await Promise.all(calls)).flat();
    expect(new Set(outcomes(answers).filter((outcome) => outcome !== 'replayed'))).toEqual(new Set(['sent', 'idempotency_in_progress']));
    // Once by the key of the batch, and once by its own.
    for (const { to } of mails) expect([to, await mailCount(to)]).toEqual([to, 2]);
  });
});

test('of mails with one key in a batch the first goes and the others are answered by it', async () => {
  const to = project.address();
  const mail = { ...receipt(to), idempotencyKey: to };
  const results = await batch([mail, { ...mail, subject: 'Another' }, mail]);
  expect(outcomes(results)).toEqual(['sent', 'idempotency_key_reuse', 'replayed']);
  expect(results[2]?.id).toBe(results[0]?.id);
  expect(await mailCount(to)).toBe(1);
});

test('one person may be in a batch twice, known or not, and is one contact', async () => {
  const to = project.address();
  const marketing = { template: 'welcome', to };
  expect(outcomes(await batch([receipt(to), marketing, marketing]))).toEqual(['sent', 'sent', 'sent']);
  expect(await mailCount(to)).toBe(3);
  expect((await project.api.get(`/contacts?q=${encodeURIComponent(to)}`)).body.totalCount).toBe(1);
});

describe('is refused as a whole, and nothing goes', () => {
  test.each([
    ['without mails', {}, { path: 'mails', message: 'required' }],
    ['with none', { mails: [] }, { path: 'mails', message: 'at least one email' }],
    ['with no list', { mails: { 0: {} } }, { path: 'mails', message: expect.any(String) }],
    [
      'with more than 1,000, which are not looked at',
      { mails: Array.from({ length: 1001 }, () => 7) },
      { path: 'mails', message: 'at most 1000 emails' },
    ],
    [
      'with a key that is too long',
      { mails: [{}], idempotencyKey: 'x'.repeat(201) },
      { path: 'idempotencyKey', message: '1 to 200 characters' },
    ],
  ])('%s', async (_, body, issue) => {
    expect(await project.api.post('/send/batch', body)).toMatchObject({ status: 422, body: { code: 'invalid_request', issues: [issue] } });
  });

  test('by a key without the scope, and while the owner is not verified', async () => {
    const to = project.address();
    const reading = await project.newKey(['sends:read']);
    const unverified = await newProject({ ownerVerified: false });
    expect(await reading.api.post('/send/batch', { mails: [receipt(to)] })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await unverified.api.post('/send/batch', { mails: [receipt(to)] })).toMatchObject({
      status: 403,
      body: { code: 'email_unverified' },
    });
    expect(await mailCount(to)).toBe(0);
  });
});
