import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row } from '../../../db/rows.ts';
import { chain } from '../../domain/sequences/graphs.ts';
import { askingProject } from '../../support/confirmations.ts';
import { eventually } from '../../support/eventually.ts';
import { enrollmentsOf, newFlow } from '../../support/flow.ts';
import { beginImport, endOfImport, imported, importForm } from '../../support/imports.ts';
import { mailCount } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, must } from '../../support/sequences.ts';
import { NEWS, OFFERS, projectWithTopics } from '../../support/topics.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

let em: EntityManager;
let project: TestProject;
beforeAll(async () => {
  [em, project] = [await database(), await newProject()];
});

const contactOf = async (of: TestProject, email: string) =>
  must(await of.api.get(`/contacts?email=${encodeURIComponent(email)}`), 200).contacts[0];

const countsOf = ({ rows, inserted, updated, unchanged, refused }: Record<string, number>) => [rows, inserted, updated, unchanged, refused];

describe('rows', () => {
  test('become contacts with all that their columns say, named in the first row or in the mapping', async () => {
    const own = await newProject();
    must(await own.api.post('/topics', { key: 'news', name: 'News' }), 201);
    const csv =
      '\ufeffE-mail;First Name;last_name;City;Age;VIP;Tags;News;Consent;IP;When;Nobody\r\n' +
      'ADA@Example.com;Ada;"Love;lace";London;36;yes;a,b;no;form;203.0.113.7;2024-05-01;x\r\n' +
      '\r\n' +
      'grace@example.com;"Grace ""Amazing""";;;;;;;;;;\r\n';
    const mapping = {
      ...{ 'E-mail': 'email', City: 'attributes.city', Age: { field: 'attributes.age', type: 'number' } },
      ...{ VIP: { field: 'attributes.vip', type: 'boolean' }, News: 'topics.news', Consent: 'consent.source', IP: 'consent.ip' },
      When: 'consent.at',
    };
    const ended = await imported(own, csv, { mapping, tags: ['spring'] });
    expect(ended).toMatchObject({ status: 'completed', size: Buffer.byteLength(csv), read: Buffer.byteLength(csv), problems: [] });
    expect(countsOf(ended)).toEqual([2, 2, 0, 0, 0]);
    expect(ended.columns.map(({ field }: { field: string }) => field)).toEqual([
      ...['email', 'first_name', 'last_name', 'attributes.city', 'attributes.age', 'attributes.vip', 'tags'],
      ...['topics.news', 'consent.source', 'consent.ip', 'consent.at', null],
    ]);
    const ada = await contactOf(own, 'ada@example.com');
    expect(ada).toMatchObject({
      ...{ first_name: 'Ada', last_name: 'Love;lace', status: 'subscribed', source: 'import', tags: ['spring', 'a', 'b'] },
      ...{ attributes: { city: 'London', age: 36, vip: true }, topics: { news: false }, brand_id: own.slug },
    });
    expect(must(await own.api.get(`/contacts/${ada.id}`), 200).contact).toMatchObject({
      ...{ consent_source: 'form', consent_ip: '203.0.113.7', consent_user_agent: null, consent_at: '2024-05-01T00:00:00.000Z' },
    });
    const grace = await contactOf(own, 'grace@example.com');
    expect(grace).toMatchObject({ first_name: 'Grace "Amazing"', last_name: null, tags: ['spring'], attributes: {}, topics: {} });
    // The upload shows nobody's consent.
    expect(must(await own.api.get(`/contacts/${grace.id}`), 200).contact).toMatchObject({ consent_source: null, consent_at: null });
  });

  test('change contacts that there are: what is empty stays, tags are added, and the same file once more changes nothing', async () => {
    const email = project.address();
    must(await project.api.post('/contacts', { email, firstName: 'Ada', lastName: 'Byron', tags: ['vip'], attributes: { a: '1' } }), 200);
    const csv = `email,first_name,last_name,tags,b\n${email},,Lovelace,new,2\n`;
    const settings = { mapping: { b: 'attributes.b' } };
    expect(countsOf(await imported(project, csv, settings))).toEqual([1, 0, 1, 0, 0]);
    const once = await contactOf(project, email);
    expect(once).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', tags: ['vip', 'new'], attributes: { a: '1', b: '2' } });
    expect(countsOf(await imported(project, csv, settings))).toEqual([1, 0, 0, 1, 0]);
    expect(await contactOf(project, email)).toEqual(once);
  });

  test('of contacts that there are stay out with onExisting skip, but for what they say against mail', async () => {
    const { project: own } = await projectWithTopics(NEWS, OFFERS);
    const [kept, left, offed] = [own.address('kept'), own.address('left'), own.address('offed')];
    must(await own.api.post('/contacts', [{ email: kept, firstName: 'A' }, { email: left, firstName: 'B' }, { email: offed }]), 200);
    const csv = `email,first_name,status,topics.news\n${kept},X,subscribed,\n${left},Y,unsubscribed,\n${offed},Z,,no\n`;
    const ended = await imported(own, csv, { onExisting: 'skip', mapping: { 'topics.news': 'topics.news' } });
    expect(countsOf(ended)).toEqual([3, 0, 2, 1, 0]);
    expect(await contactOf(own, kept)).toMatchObject({ first_name: 'A', status: 'subscribed' });
    expect(await contactOf(own, left)).toMatchObject({ first_name: 'B', status: 'unsubscribed' });
    expect(await contactOf(own, offed)).toMatchObject({ first_name: null, topics: { news: false } });
  });

  test('that say unsubscribed or suppressed win over what is there and over other rows, whichever comes first', async () => {
    const own = await newProject();
    const [first, last, there, listed, complained] = ['first', 'last', 'there', 'listed', 'complained'].map((name) => own.address(name));
    must(await own.api.post('/contacts', [{ email: there, status: 'unsubscribed' }]), 200);
    const csv =
      'email,status,suppressed\n' +
      `${first},unsubscribed,\n${first},subscribed,\n${last},subscribed,\n${last},bounced,\n${there},subscribed,\n` +
      `${listed},subscribed,yes\n${complained},subscribed,complaint\n${listed},suppressed,\n`;
    const ended = await imported(own, csv);
    expect(ended).toMatchObject({ status: 'completed', refused: 0, inserted: 4 });
    const standing = async (email: string) => {
      const { status, suppressed } = await contactOf(own, email);
      return [status, suppressed];
    };
    expect(await standing(first as string)).toEqual(['unsubscribed', null]);
    expect(await standing(last as string)).toEqual(['bounced', null]);
    expect(await standing(there as string)).toEqual(['unsubscribed', null]);
    expect(await standing(listed as string)).toEqual(['subscribed', 'manual']);
    expect(await standing(complained as string)).toEqual(['unsubscribed', 'complaint']);
  });

  test('that do nothing but suppress an address count as changes, once, in a dry run too', async () => {
    const own = await newProject();
    const email = own.address();
    must(await own.api.post('/contacts', { email }), 200);
    const csv = `email,suppressed\n${email},yes\n${email},yes\n`;
    expect(countsOf(await imported(own, csv, { dryRun: true }))).toEqual([2, 0, 1, 1, 0]);
    expect(countsOf(await imported(own, csv))).toEqual([2, 0, 1, 1, 0]);
    expect(countsOf(await imported(own, csv))).toEqual([2, 0, 0, 2, 0]);
    expect(countsOf(await imported(own, `email,suppressed\n${email},complaint\n`))).toEqual([1, 0, 1, 0, 0]);
  });

  test('bring consents as the file has them: no time that it does not say, and nothing of another consent', async () => {
    const own = await newProject();
    const [fresh, known, same] = [own.address('fresh'), own.address('known'), own.address('same')];
    const consent = { source: 'form', ip: '203.0.113.7', userAgent: 'Browser/1' };
    must(
      await own.api.post(
        '/contacts',
        [known, same].map((email) => ({ email, consent })),
      ),
      200,
    );
    const consentOf = async (email: string) => {
      const { id } = await contactOf(own, email);
      const { consent_source, consent_ip, consent_user_agent, consent_at } = must(await own.api.get(`/contacts/${id}`), 200).contact;
      return [consent_source, consent_ip, consent_user_agent, consent_at];
    };
    const before = await consentOf(same);
    const csv = `email,consent.source,consent.at\n${fresh},fair,\n${known},fair,2019-05-01\n${same},form,\n`;
    expect(countsOf(await imported(own, csv))).toEqual([3, 1, 1, 1, 0]);
    expect(await consentOf(fresh)).toEqual(['fair', null, null, null]);
    expect(await consentOf(known)).toEqual(['fair', null, null, '2019-05-01T00:00:00.000Z']);
    expect(await consentOf(same)).toEqual(before);
    const ended = await imported(own, `email,consent.at\n${fresh},2999-01-01\n${same},2025-02-30\n`);
    expect(ended.reasons).toEqual({ invalid_value: 2 });
  });

  test('that are refused are told with their reasons, the first hundred with the import and all of them as CSV', async () => {
    const own = await newProject();
    const good = own.address('good');
    const bad: readonly [string, string][] = [
      ['nobody', 'email_invalid'],
      [',x', 'email_missing'],
      [`${own.address()},${'x'.repeat(201)}`, 'invalid_value'],
      [`${own.address()},a,nonsense`, 'invalid_value'],
      [`${own.address()},a,,more,than,columns`, 'too_many_cells'],
      [`${own.address()},b\0`, 'invalid_value'],
      [`${own.address()},=1+1,nonsense`, 'invalid_value'],
    ];
    const rows = [...bad.map(([row]) => row), good, ...Array.from({ length: 150 }, (_, nth) => `no-${nth}`)];
    const latin1 = Buffer.from(`\n${own.address()},M\xfcller,\n`, 'latin1');
    const ended = await imported(own, Buffer.concat([Buffer.from(`email,first_name,status\n${rows.join('\n')}`), latin1]));
    expect(countsOf(ended)).toEqual([rows.length + 1, 1, 0, 0, rows.length]);
    expect(ended.reasons).toEqual({ email_invalid: 151, email_missing: 1, invalid_value: 4, too_many_cells: 1, not_utf8: 1 });
    expect(ended.problems).toHaveLength(100);
    expect(ended.problems.slice(0, 7).map(({ row, reason }: { row: number; reason: string }) => [row, reason])).toEqual(
      bad.map(([, reason], index) => [index + 1, reason]),
    );
    const { body, headers } = await own.api.get(`/imports/${ended.id}/refused`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const lines = body.trimEnd().split('\r\n');
    expect(lines[0]).toBe('email,first_name,status,reason');
    expect(lines[1]).toBe('nobody,,,"email_invalid: email: ""nobody"" is not a valid address"');
    expect(lines[5]).toMatch(
      /,a,,too_many_cells: it has 6 cells, and there are 3 columns,more,than,columns$|,a,,"too_many_cells: [^"]*",more,than,columns$/,
    );
    expect(lines[7]).toContain(",'=1+1,nonsense,");
    expect(lines).toHaveLength(1 + rows.length);
  });

  test('count once on both sides of a portion, and the attributes and tags of a contact stay within their limits', async () => {
    const own = await newProject();
    const email = own.address();
    const many = Array.from({ length: 101 }, (_, nth) => `${email},t${nth}`);
    const ended = await imported(own, `email,tags\n${many.join('\n')}\n`);
    expect(countsOf(ended)).toEqual([101, 1, 99, 0, 1]);
    expect(ended.reasons).toEqual({ too_many_tags: 1 });
    const people = Array.from({ length: 4_500 }, (_, nth) => `p${nth % 4_499}@${own.domain}`);
    const large = await imported(own, `email\n${people.join('\n')}`);
    expect(countsOf(large)).toEqual([4_500, 4_499, 0, 1, 0]);
    expect(must(await own.api.get('/contacts?limit=1'), 200).totalCount).toBe(4_500);
  });
});

describe('what comes with contacts', () => {
  test('webhooks, counts of tags and entries by a segment come with imported ones as with others, and nobody is asked to confirm', async () => {
    const asking = await askingProject();
    const own = asking.project;
    must(await own.api.post('/segments', { label: 'Listed', filter: { tags: ['list'] } }), 201);
    const waits = chain({ id: 'w', kind: 'wait_delay', config: { minutes: DAY_MINUTES } });
    const flow = await newFlow(own, { ...waits, triggers: [{ kind: 'segment', config: { segment: 'Listed' }, enabled: true }] });
    const listened = await listenForEvents(own);
    const emailsOf = async (type: string) => ofType(await listened(), type).map(({ data }) => (data as { email: string }).email);
    const [a, b, c] = [own.address('a'), own.address('b'), own.address('c')];
    must(await own.api.post('/contacts', { email: c, status: 'subscribed' }), 200);
    const ended = await imported(own, `email,status\n${a},\n${b},pending\n${c},unsubscribed\n`, { tags: ['list'] });
    expect(countsOf(ended)).toEqual([3, 2, 1, 0, 0]);
    expect(await emailsOf('contact.subscribed')).toEqual([c, a]);
    expect(await emailsOf('contact.unsubscribed')).toEqual([c]);
    expect(must(await own.api.get('/contacts?tag=list'), 200).totalCount).toBe(3);
    const gone = await contactOf(own, c);
    const timeline = must(await own.api.get(`/contacts/${gone.id}/timeline?kind=consent_changed`), 200).timeline;
    expect(timeline[0].details).toMatchObject({ from: 'subscribed', to: 'unsubscribed', cause: 'import' });
    for (const email of [a, b]) await eventually(async () => (await enrollmentsOf(em, flow.id, email)).length === 1);
    expect(await enrollmentsOf(em, flow.id, c)).toEqual([]);
    for (const [email, status] of [
      [a, 'subscribed'],
      [b, 'pending'],
    ] as const) {
      const { id } = await contactOf(own, email);
      expect(await asking.contactOf(id)).toMatchObject({ status, confirmation: null });
    }
    expect(await mailCount(`@to.${own.domain}`)).toBe(0);
  });
});

describe('an import', () => {
  test('without a word on its columns, or with a wrong one, is refused before anything is read', async () => {
    const refusedOf = async (csv: string | Uint8Array<ArrayBuffer>, settings?: Record<string, unknown>) => {
      const { status, body } = await project.api.call('POST', '/imports', importForm(csv, settings));
      return [status, body.code, ...(body.issues ?? []).map(({ path }: { path: string }) => path)];
    };
    expect(await refusedOf('name,city\nAda,London\n')).toEqual([422, 'invalid_request', 'settings.mapping']);
    expect(await refusedOf('')).toEqual([422, 'invalid_request', 'file']);
    expect(await refusedOf('\n\n')).toEqual([422, 'invalid_request', 'file']);
    expect(await refusedOf(Buffer.from('\ufeffemail\na@b.example', 'utf16le'))).toEqual([422, 'invalid_request', 'file']);
    expect(await refusedOf(`email\n${'x'.repeat(10)}`, { mapping: { mail: 'email' } })).toEqual([
      422,
      'invalid_request',
      'settings.mapping.mail',
    ]);
    expect(await refusedOf('email,a\n', { mapping: { a: 'nonsense' } })).toEqual([422, 'invalid_request', 'settings.mapping.a']);
    expect(await refusedOf('email,a\n', { mapping: { a: 'email' } })).toEqual([422, 'invalid_request', 'settings.mapping.a']);
    expect(await refusedOf('email,a\n', { mapping: { a: 'topics.none' } })).toEqual([422, 'invalid_request', 'settings.mapping.a']);
    expect(await refusedOf('email,Topics.None\n')).toEqual([422, 'invalid_request', 'settings.mapping.Topics.None']);
    expect(await refusedOf('email,a\n', { mapping: { a: { field: 'first_name', type: 'number' } } })).toEqual([
      422,
      'invalid_request',
      'settings.mapping.a',
    ]);
    expect(await refusedOf('email,a\n', { mapping: { '3': 'first_name' } })).toEqual([422, 'invalid_request', 'settings.mapping.3']);
    expect(await refusedOf('email\n', { dryrun: true })).toEqual([422, 'invalid_request', 'settings.dryrun']);
    expect(await refusedOf('email\n', { brand: 'none' })).toEqual([422, 'invalid_request', 'brand']);
    expect(await refusedOf('email\n', { onExisting: 'maybe' })).toEqual([422, 'invalid_request', 'settings.onExisting']);
    expect(await refusedOf('email\n', { delimiter: '"' })).toEqual([422, 'invalid_request', 'settings.delimiter']);
    expect(await refusedOf(`"email\n${'x'.repeat(70_000)}`)).toEqual([422, 'invalid_request', 'file']);
    const form = importForm('email\n');
    form.set('settings', '{');
    expect((await project.api.call('POST', '/imports', form)).body).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'settings' }],
    });
    expect((await project.api.post('/imports', { file: 'email' })).status).toBe(415);
    const lines = await project.api.call('POST', '/imports', importForm(`email\n${'\n'.repeat(1_000_001)}`));
    expect([lines.status, lines.body.code]).toEqual([413, 'payload_too_large']);
  });

  test('previews the columns of a file by its beginning as an import has them, with what each may be, and keeps nothing', async () => {
    const own = await newProject();
    must(await own.api.post('/topics', { key: 'news', name: 'News' }), 201);
    const csv = 'E-mail;First Name;City;News\nada@example.com;Ada;"Lon;don";yes\ngrace@example.com;Grace;;\nlinus@exam';
    const columnsOf = (settings?: object) => own.api.call('POST', '/imports/columns', importForm(csv, settings as never));
    const shown = must(await columnsOf(), 200);
    expect(shown).toMatchObject({ delimiter: ';' });
    // No column is the email yet, which is to be said by whoever looks at them.
    expect(shown.columns.map(({ field }: { field: string | null }) => field)).toEqual([null, 'first_name', null, null]);
    expect(shown.rows.slice(0, 2)).toEqual([
      ['ada@example.com', 'Ada', 'Lon;don', 'yes'],
      ['grace@example.com', 'Grace', '', ''],
    ]);
    expect(shown.fields).toEqual(expect.arrayContaining(['email', 'display_name', 'consent.at', 'topics.news']));
    const mapping = { 'E-mail': 'email', City: 'attributes.city', News: 'topics.news' };
    const mapped = must(await columnsOf({ mapping }), 200);
    expect(mapped.columns).toEqual((await imported(own, csv, { mapping, dryRun: true })).columns);
    expect(must(await own.api.get('/imports'), 200).imports).toHaveLength(1);
    // In the address as elsewhere: it counts, whatever the settings say, and nothing else is taken for it.
    const asked = (dryRun: string) => own.api.call('POST', `/imports?dryRun=${dryRun}`, importForm(csv, { mapping, dryRun: false }));
    expect(must(await asked('1'), 201).import.dry_run).toBe(true);
    expect(await asked('yes')).toMatchObject({ status: 422, body: { issues: [{ path: 'dryRun' }] } });
    const twice = await columnsOf({ mapping: { ...mapping, City: 'email' } });
    expect([twice.status, twice.body.issues[0].path]).toEqual([422, 'settings.mapping.City']);
    expect(await own.api.call('POST', '/imports/columns', importForm('x'.repeat(1_100_000)))).toMatchObject({ status: 413 });
    // Which of two is meant is for whoever looks at them to say.
    const alike = must(await own.api.call('POST', '/imports/columns', importForm('email,First Name,first_name\n')), 200);
    expect(alike.columns.map(({ field }: { field: string | null }) => field)).toEqual(['email', 'first_name', null]);
    const reader = await own.newKey(['contacts:read']);
    expect(await reader.api.call('POST', '/imports/columns', importForm(csv))).toMatchObject({ status: 403 });
  });

  test('has two columns of one name by their numbers, and one of a topic that there is not where null says so', async () => {
    const email = project.address();
    const mapping = { 2: 'first_name', 3: 'last_name', 'topics.none': null };
    const ended = await imported(project, `email,name,name,topics.none\n${email},Ada,Byron,no\n`, { mapping });
    expect(ended.columns.map(({ field }: { field: string }) => field)).toEqual(['email', 'first_name', 'last_name', null]);
    expect(await contactOf(project, email)).toMatchObject({ first_name: 'Ada', last_name: 'Byron' });
  });

  test('of very many people ends with statistics by which pages of their list are read by its index', async () => {
    const own = await newProject();
    const analyzed = async () => {
      await row(em, sql`select pg_stat_clear_snapshot()`);
      return (await row(em, sql<{ n: number }>`select analyze_count as n from pg_stat_user_tables where relname = 'contacts'`))?.n ?? 0;
    };
    const before = await analyzed();
    const people = Array.from({ length: 10_001 }, () => own.address()).join('\n');
    expect(countsOf(await imported(own, `email\n${people}\n`))).toEqual([10_001, 10_001, 0, 0, 0]);
    await eventually(async () => (await analyzed()) > before);
  });

  test('of a file without names has its columns by their numbers', async () => {
    const email = project.address();
    const ended = await imported(project, `Ada\t${email}\n`, { header: false, mapping: { 1: 'first_name', 2: 'email' } });
    expect(countsOf(ended)).toEqual([1, 1, 0, 0, 0]);
    expect(await contactOf(project, email)).toMatchObject({ first_name: 'Ada' });
  });

  test('whose quotation mark nobody closes fails with the rows before it kept', async () => {
    const own = await newProject();
    const ended = await imported(own, `email,name\n${own.address()},"a"\n${own.address()},"b\n`);
    expect(ended).toMatchObject({ status: 'failed', error: 'a quotation mark opens a cell that nothing closes', inserted: 1, rows: 1 });
  });

  test('that is a dry run writes nothing and tells what would become of the rows', async () => {
    const own = await newProject();
    const [there, fresh] = [own.address('there'), own.address('fresh')];
    must(await own.api.post('/contacts', { email: there }), 200);
    const ended = await imported(own, `email,first_name,suppressed\n${there},A,\n${fresh},B,yes\nnone,C,\n`, { dryRun: true });
    expect(ended).toMatchObject({ status: 'completed', dry_run: true, problems: [{ row: 3, column: 'email', reason: 'email_invalid' }] });
    expect(countsOf(ended)).toEqual([3, 1, 1, 0, 1]);
    expect(must(await own.api.get('/contacts'), 200).totalCount).toBe(1);
    expect((await contactOf(own, there)).first_name).toBeNull();
    expect(must(await own.api.get('/suppressions'), 200).suppressions).toEqual([]);
  });

  test('is paused, resumed and cancelled, and goes on with the row at which it was', async () => {
    const own = await newProject();
    const people = Array.from({ length: 5_000 }, (_, nth) => `p${nth}@${own.domain}`);
    const { id, status } = await beginImport(own, `email\n${people.join('\n')}`, { paused: true });
    expect(status).toBe('paused');
    const change = (name: string) => own.api.post(`/imports/${id}/${name}`);
    expect(must(await change('resume'), 200).import.status).toBe('running');
    const paused = must(await change('pause'), 200).import;
    const { totalCount } = must(await own.api.get('/contacts?limit=1'), 200);
    expect(totalCount).toBe(paused.rows);
    must(await change('resume'), 200);
    const ended = await endOfImport(own, id);
    expect(countsOf(ended)).toEqual([5_000, 5_000, 0, 0, 0]);
    for (const name of ['pause', 'resume', 'cancel']) expect((await change(name)).body.code).toBe('invalid_status');
    const waiting = await beginImport(own, 'email\nnew@example.com', { paused: true });
    expect(must(await own.api.post(`/imports/${waiting.id}/cancel`), 200).import).toMatchObject({ status: 'cancelled', rows: 0 });
    expect((await own.api.post(`/imports/${waiting.id}/resume`)).body.code).toBe('invalid_status');
  });

  test('is of its project and for keys that write contacts, one page of them after another, and at most five are open', async () => {
    const own = await newProject();
    const begun = [];
    for (let nth = 0; nth < 5; nth++) begun.push(await beginImport(own, 'email\na@example.com', { paused: true }));
    const six = await Promise.all([0, 1].map(() => own.api.call('POST', '/imports', importForm('email\n'))));
    expect(six.map(({ body }) => body.code)).toEqual(['too_many_imports', 'too_many_imports']);
    const page = must(await own.api.get('/imports?limit=3'), 200);
    const next = must(await own.api.get(`/imports?limit=3&cursor=${encodeURIComponent(page.nextCursor)}`), 200);
    const ids = [...page.imports, ...next.imports].map(({ id }: { id: string }) => id);
    expect([ids, next.nextCursor]).toEqual([begun.map(({ id }) => id).reverse(), null]);
    expect(must(await own.api.get('/imports?status=completed'), 200).imports).toEqual([]);
    const { id } = begun[0];
    for (const path of [`/imports/${id}`, `/imports/${id}/refused`]) expect((await project.api.get(path)).status).toBe(404);
    for (const name of ['pause', 'resume', 'cancel']) expect((await project.api.post(`/imports/${id}/${name}`)).status).toBe(404);
    expect(must(await project.api.get('/imports'), 200).imports.filter((shown: { id: string }) => ids.includes(shown.id))).toEqual([]);
    const reader = (await own.newKey(['contacts:read'])).api;
    expect((await reader.get(`/imports/${id}`)).status).toBe(200);
    for (const call of [reader.post(`/imports/${id}/resume`), reader.call('POST', '/imports', importForm('email\n'))])
      expect((await call).body.code).toBe('forbidden');
    for (const each of begun) must(await own.api.post(`/imports/${each.id}/cancel`), 200);
  });

  test('of the same people as others at the same time makes each of them once', async () => {
    const own = await newProject();
    const people = Array.from({ length: 6_000 }, (_, nth) => `p${nth}@${own.domain}`);
    const files = [people, people.toReversed(), people.filter((_, nth) => nth % 2 === 0)];
    const begun = await Promise.all(files.map((list) => beginImport(own, `email\n${list.join('\n')}`)));
    const ended = await Promise.all(begun.map(({ id }) => endOfImport(own, id)));
    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    expect(ended.reduce((sum, { inserted }) => sum + inserted, 0)).toBe(6_000);
    expect(ended.map(({ rows }) => rows)).toEqual(files.map(({ length }) => length));
    expect(must(await own.api.get('/contacts?limit=1'), 200).totalCount).toBe(6_000);
  });

  test('keeps nothing of who was erased among the rows that it refused', async () => {
    const own = await newProject();
    const email = own.address();
    const { id } = must(await own.api.post('/contacts', { email }), 200).contacts[0];
    const ended = await imported(own, `email,status\n${email},"not ${email}"\n${email},,more\nnobody,\n`);
    const messagesOf = async () => JSON.stringify(must(await own.api.get(`/imports/${ended.id}`), 200).import.problems);
    expect(must(await own.api.get(`/imports/${ended.id}/refused`), 200)).toContain(email);
    expect(await messagesOf()).toContain(`not ${email}`);
    must(await own.api.delete(`/contacts/${id}`), 200);
    const left = must(await own.api.get(`/imports/${ended.id}/refused`), 200);
    expect([left.includes(email), left.includes('nobody')]).toEqual([false, true]);
    const messages = await messagesOf();
    expect([messages.includes(email), messages.includes('nobody')]).toEqual([false, true]);
  });
});
