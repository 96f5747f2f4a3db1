import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { report } from '../../support/inbound.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
let contactId: string;
/** Oldest first: what was asked for, and to whom. */
let sent: { to: string; template: string }[];

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
  const suppressed = project.address('su%pp');
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  sent = [
    { to: project.address('one'), template: 'receipt' },
    { to: project.address('two_x'), template: 'welcome' },
    { to: suppressed, template: 'receipt' },
    { to: project.address('twoax'), template: 'receipt' },
    { to: project.address('five'), template: 'welcome' },
  ];
  // One after the other, so that each has its own instant.
  for (const body of sent) await project.api.post('/send', body);
  contactId = (await project.api.get('/contacts?q=two_x')).body.contacts[0].id;
});

async function list(query: Readonly<Record<string, string>> = {}) {
  const { sends, nextCursor } = must(await project.api.get(`/sends?${new URLSearchParams(query)}`), 200);
  return { to: sends.map(({ to_email }: { to_email: string }) => sent.findIndex(({ to }) => to === to_email)), nextCursor };
}

describe('the send log', () => {
  test('has one row an attempt, newest first', async () => {
    expect(await list()).toEqual({ to: [4, 3, 2, 1, 0], nextCursor: null });
  });

  test('filters, alone and together; q takes % and _ as themselves', async () => {
    for (const [query, expected] of [
      [{ template: 'welcome' }, [4, 1]],
      [{ template: 'welcom' }, []],
      [{ type: 'transactional' }, [3, 2, 0]],
      [{ status: 'failed' }, [2]],
      [{ status: 'sent', template: 'receipt' }, [3, 0]],
      [{ contactId }, [1]],
      [{ contactId: contactId.toUpperCase() }, [1]],
      [{ contactId: randomUUID() }, []],
      [{ sourceType: 'api' }, [4, 3, 2, 1, 0]],
      [{ sourceType: 'campaign' }, []],
      [{ sourceId: 'anything' }, []],
      [{ q: 'two_x' }, [1]],
      [{ q: 'SU%PP' }, [2]],
      [{ q: 'two' }, [3, 1]],
      [{ deliveryStatus: 'none' }, [4, 3, 1, 0]],
      [{ deliveryStatus: 'bounced' }, []],
      [{ from: '2000-01-01T00:00:00Z', to: '2999-01-01T00:00:00+02:00', status: 'failed' }, [2]],
      [{ from: '2999-01-01T00:00:00Z' }, []],
      [{ to: '2000-01-01T00:00:00Z' }, []],
    ] as const) {
      expect([query, (await list(query)).to]).toEqual([query, expected]);
    }
  });

  test('pages by cursor, which holds for these filters only', async () => {
    const first = await list({ limit: '2' });
    const second = await list({ limit: '2', cursor: first.nextCursor! });
    const third = await list({ limit: '2', cursor: second.nextCursor! });
    expect([first.to, second.to, third.to, third.nextCursor]).toEqual([[4, 3], [2, 1], [0], null]);
    const other = await newProject();
    for (const [by, query] of [
      [project, `status=sent&cursor=${first.nextCursor}`],
      [project, `cursor=${first.nextCursor}x`],
      [other, `cursor=${first.nextCursor}`],
    ] as const) {
      const { status, body } = await by.api.get(`/sends?${query}`);
      expect([status, body.code]).toEqual([422, 'invalid_cursor']);
    }
    expect((await other.api.get('/sends')).body).toEqual({ ok: true, sends: [], nextCursor: null });
  });

  test('q finds a mail to a contact, by whatever it was named, and to somebody who is none or became one since', async () => {
    const by = await newProject();
    await enableTemplates(by, 'receipt');
    const email = by.address('found-contact');
    const [contact] = must(await by.api.post('/contacts', { email }), 200).contacts;
    const stranger = by.address('found-stranger');
    for (const recipient of [{ contactId: contact.id }, { to: email }, { to: email.toUpperCase() }, { to: stranger }]) {
      must(await by.api.post('/send', { template: 'receipt', ...recipient }), 200);
    }
    must(await by.api.post('/contacts', { email: stranger }), 200);
    must(await by.api.post('/send', { template: 'receipt', to: stranger }), 200);
    const found = must(await by.api.get('/sends?q=Found-'), 200).sends.map((entry: { to_email: string }) => entry.to_email);
    expect(found).toEqual([stranger, stranger, email, email, email]);
  });

  test('unknown values of a filter are refused', async () => {
    for (const query of ['type=bulk', 'status=queued', 'contactId=x', 'limit=0']) {
      const { status, body } = await project.api.get(`/sends?${query}`);
      expect([query, status, body.code]).toEqual([query, 422, 'invalid_request']);
    }
  });
});

describe('one send', () => {
  const send = async (to: string, template = 'receipt') => must(await project.api.post('/send', { template, to }), 200).id as string;
  const read = (id: string, by = project) => by.api.get(`/sends/${encodeURIComponent(id)}`);

  test("is read by the id that POST /send answered and by its row's, with what the provider reported and the bounce's code", async () => {
    const to = project.address('read-one');
    const providerId = await send(to, 'welcome');
    const [row] = must(await project.api.get(`/sends?q=${to}`), 200).sends;
    expect((await read(providerId)).body).toEqual({
      ok: true,
      send: {
        ...row,
        enrollment_id: null,
        variant: null,
        locale: null,
        closed_at: expect.any(String),
        reply_to: null,
        headers: {},
        attachments: [],
        bounce: null,
        events: [],
      },
    });
    const [openedAt, bouncedAt] = ['2026-01-01T10:00:00.000Z', '2026-01-01T09:00:00.000Z'];
    await report(project, { type: 'clicked', providerId, timestamp: openedAt, url: 'https://x.example/' });
    await report(project, { type: 'bounced', providerId, timestamp: bouncedAt, bounce: { kind: 'hard', code: '5.1.1' } });
    const bounce = { kind: 'hard', code: '5.1.1' };
    const told = { provider: 'generic', received_at: expect.any(String) };
    for (const id of [providerId, row.id, row.id.toUpperCase()]) {
      expect(must(await read(id), 200).send).toMatchObject({
        ...{ id: row.id, to_email: to, provider_id: providerId, delivery_status: 'bounced', click_count: 1, bounce },
        events: [
          { ...told, type: 'bounced', occurred_at: bouncedAt, bounce, url: null },
          { ...told, type: 'clicked', occurred_at: openedAt, bounce: null, url: 'https://x.example/' },
        ],
      });
    }
  });

  test("of another project, of nobody, or without the scope is not read, and a failed one is by its row's id", async () => {
    const providerId = await send(project.address());
    const other = await newProject();
    for (const [id, by] of [
      [providerId, other],
      [randomUUID(), project],
      ['nothing', project],
    ] as const) {
      expect(await read(id, by)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    const blind = await project.newKey(['send']);
    expect(await blind.api.get(`/sends/${encodeURIComponent(providerId)}`)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const [failed] = must(await project.api.get('/sends?status=failed'), 200).sends;
    expect(must(await read(failed.id), 200).send).toMatchObject({ error: 'suppressed', bounce: null, events: [] });
  });

  test('is found by q with its whole provider id, once, and only in its project', async () => {
    const to = project.address('by-provider-id');
    const providerId = await send(to);
    const found = async (q: string, by = project) =>
      must(await by.api.get(`/sends?${new URLSearchParams({ q })}`), 200).sends.map(({ to_email }: { to_email: string }) => to_email);
    expect(await found(providerId)).toEqual([to]);
    expect(await found(providerId.slice(0, -1))).toEqual([]);
    expect(await found(providerId, await newProject())).toEqual([]);
  });
});
