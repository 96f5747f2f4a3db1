import { beforeAll, expect, test } from 'vitest';
import { MAX_MAILS } from '../../../api/routes/sends/mail-batch.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { scheduledMails, tomorrow } from '../../support/scheduled-mails.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const { later } = scheduledMails(() => project);

interface Result {
  readonly ok: boolean;
  readonly id?: string;
  readonly code?: string;
  readonly replayed?: true;
}

async function batch(mails: readonly object[], idempotencyKey?: string): Promise<Result[]> {
  return must(
    await project.api.post('/send/batch', { mails: mails.map((mail) => ({ template: 'receipt', ...mail })), idempotencyKey }),
    200,
  ).results;
}

const different = (values: readonly unknown[]): number => new Set(values).size;

test('a full batch of mails that go later is kept whole, and repeated under its key kept once', async () => {
  const sendAt = tomorrow();
  const mails = Array.from({ length: MAX_MAILS }, () => ({ to: project.address(), sendAt }));
  // On a machine that others keep busy some may not have begun in time: asked again, these are kept, and the others are the same.
  const kept = new Map<number, string>();
  for (let calls = 0; kept.size < MAX_MAILS && calls < 10; calls++) {
    for (const [n, { ok, id, code, replayed }] of (await batch(mails, 'full')).entries()) {
      expect([n, ok || code, ok && (replayed ?? false)]).toEqual([n, ok || 'unavailable', ok && kept.has(n)]);
      if (ok) expect(id).toBe(kept.get(n) ?? id);
      if (ok) kept.set(n, id!);
    }
  }
  expect(kept.size).toBe(MAX_MAILS);
  expect(different([...kept.values()])).toBe(MAX_MAILS);
  const again = await batch(mails, 'full');
  expect(again).toEqual(mails.map((_, n) => expect.objectContaining({ ok: true, id: kept.get(n), replayed: true })));
});

test('of equal batches at the same time each mail is kept once', async () => {
  const sendAt = tomorrow();
  const mails = Array.from({ length: 250 }, (_, n) => ({ to: project.address(), sendAt, idempotencyKey: `same-${n}` }));
  const answers = await Promise.all([batch(mails), batch(mails.toReversed()), batch(mails)]);
  const [first, second, third] = [answers[0], answers[1]!.toReversed(), answers[2]].map((results) => results!.map(({ id }) => id));
  expect(different(first!)).toBe(mails.length);
  expect([second, third]).toEqual([first, first]);
  expect(answers.flat().filter(({ ok, replayed }) => ok && !replayed)).toHaveLength(mails.length);
});

test('a key that mails of one batch share is that of the first: the same mail is answered again, another is refused, and so is one at another time', async () => {
  const [to, sendAt] = [project.address(), tomorrow()];
  const shared = { to, sendAt, idempotencyKey: 'shared' };
  const results = await batch([shared, shared, { ...shared, to: project.address() }, { to, idempotencyKey: 'shared' }]);
  expect(results).toMatchObject([
    { ok: true },
    { ok: true, id: results[0]!.id, replayed: true },
    { ok: false, code: 'idempotency_key_reuse' },
    { ok: false, code: 'idempotency_key_reuse' },
  ]);
  const [atOnce, refused] = await batch([
    { to, idempotencyKey: 'now' },
    { to, sendAt, idempotencyKey: 'now' },
  ]);
  expect([atOnce!.ok, refused!.code]).toEqual([true, 'idempotency_key_reuse']);
});

test('a mail that cannot be made fails alone among those that are kept together', async () => {
  const sendAt = tomorrow();
  const unknown = '0190a000-0000-7000-8000-000000000000';
  const results = await batch([
    { to: project.address(), sendAt },
    { contactId: unknown, sendAt },
    { to: project.address(), sendAt },
  ]);
  expect(results).toMatchObject([{ ok: true }, { ok: false, code: 'not_found' }, { ok: true }]);
  expect((await later({ contactId: unknown })).status).toBe(404);
});
