import { inspect } from 'node:util';
import { Everpost } from '@everpost/client';
import { beforeAll, expect, test } from 'vitest';
import { testEnvironment } from '../../support/environment.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, newSequence, WAITS } from '../../support/sequences.ts';

let project: TestProject;
let everpost: Everpost;
const emails = Array.from({ length: 7 }, (_, at) => `person-${at}@lists.example`);

beforeAll(async () => {
  project = await newProject();
  everpost = new Everpost({ apiKey: project.key, url: testEnvironment().apiUrl });
  await everpost.contacts.upsert(emails.map((email) => ({ email, tags: ['listed'] })));
});

async function each<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of list) found.push(one);
  return found;
}

test('a list is every item of every page, or page after page, or its first page', async () => {
  const found: string[] = [];
  for await (const contact of everpost.contacts.list({ limit: 3, tag: 'listed' })) found.push(contact.email);
  expect(found.sort()).toEqual(emails);

  const sizes: number[] = [];
  for await (const { contacts } of everpost.contacts.list({ limit: 3 }).pages()) sizes.push(contacts.length);
  expect(sizes).toEqual([3, 3, 1]);

  const first = await everpost.contacts.list({ limit: 3 });
  expect(first.contacts).toHaveLength(3);
  expect(first.nextCursor).toEqual(expect.any(String));
});

test('versions, which have no cursor, go on by their numbers', async () => {
  await enableTemplates(project, 'receipt');
  for (const text of ['One', 'Two', 'Three'])
    await everpost.templates.saveContent('receipt', { content: { blocks: [{ type: 'text', text }] }, publish: true });
  const versions: number[] = [];
  for await (const { version } of everpost.templates.versions('receipt', { limit: 1 })) versions.push(version);
  expect(versions.length).toBeGreaterThanOrEqual(3);
  expect(versions).toEqual([...versions].sort((a, b) => b - a));
  expect(new Set(versions).size).toBe(versions.length);
});

test('a run is itself when it is awaited, and all its steps in a loop', async () => {
  await enableTemplates(project, 'welcome');
  const { enroll } = await newSequence(project, { steps: [{ template: 'welcome' }, { template: 'welcome' }, ...WAITS] });
  const id = await enroll(emails[0]!);
  await expect.poll(async () => (await everpost.enrollments.get(id)).enrollment.steps.length).toBe(4);
  const { steps } = (await everpost.enrollments.get(id)).enrollment;
  const found = await each(everpost.enrollments.get(id, { limit: 1 }));
  const texts = (of: typeof steps) => of.map((step) => JSON.stringify(step)).sort();
  expect(texts(found)).toEqual(texts(steps));
});

test('a list that is refused throws where it is read', async () => {
  const read = async () => {
    for await (const _ of everpost.contacts.list({ cursor: 'no cursor' })) throw new Error('there is an item');
  };
  await expect(read()).rejects.toMatchObject({ code: 'invalid_cursor' });
  expect(await everpost.safe.contacts.list({ limit: 2 })).toMatchObject({ data: { ok: true }, error: null });
  expect(await everpost.safe.contacts.list({ cursor: 'no cursor' })).toMatchObject({ data: null, error: { code: 'invalid_cursor' } });
});

test('a list that is refused before it is read ends no process, and whoever reads it later gets the error', async () => {
  const unheard: unknown[] = [];
  const note = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', note);
  try {
    const refused = () => everpost.contacts.list({ cursor: 'no cursor' });
    const [awaited, iterated, paged] = [refused(), refused(), refused()];
    // Node tells of a rejection that nobody heard once the turn it came in is over: by the end of another call it has.
    await everpost.contacts.list();
    await expect.poll(() => inspect(paged)).toContain('<rejected>');
    await new Promise(setImmediate);
    expect(unheard).toEqual([]);
    await expect(awaited).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(each(iterated)).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(each(paged.pages())).rejects.toMatchObject({ code: 'invalid_cursor' });
  } finally {
    process.off('unhandledRejection', note);
  }
});

test('files go up as forms, and files and CSV come down as responses', async () => {
  const file = await everpost.files.upload({ file: new File(['Terms of service'], 'terms.txt', { type: 'text/plain' }) });
  expect(file).toMatchObject({ filename: 'terms.txt' });
  const content = await everpost.files.content(file.id);
  expect(await content.text()).toBe('Terms of service');

  const rows = `email,first_name\nimported@lists.example,Ida\n`;
  const counted = await everpost.imports.columns({ settings: {}, file: new Blob([rows], { type: 'text/csv' }) });
  expect(counted.columns.map(({ name }) => name)).toEqual(['email', 'first_name']);

  const csv = await everpost.contacts.export({ tag: 'listed' });
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect((await csv.text()).trim().split('\n')).toHaveLength(emails.length + 1);
});

test('an upload that is repeated under one key is one file', async () => {
  const upload = () => everpost.files.upload({ file: new File(['Once'], 'once.txt') }, { idempotencyKey: 'once-txt' });
  const [one, other] = [await upload(), await upload()];
  expect(other.id).toBe(one.id);
});
