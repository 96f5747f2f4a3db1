import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { MOST_SAVED_BLOCKS } from '../../../domain/templates/saved-block.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

const button = { type: 'button', label: 'Open', url: 'https://example.com/{{ id }}', align: 'center' };
const columns = { type: 'columns', columns: [{ blocks: [{ type: 'text', text: 'Left' }] }, { blocks: [] }], showIf: 'plan' };
const save = (project: TestProject, name: string, block: unknown = button) => project.api.post('/saved-blocks', { name, block });
const names = async (project: TestProject): Promise<string[]> =>
  must(await project.api.get('/saved-blocks'), 200).savedBlocks.map(({ name }: { name: string }) => name);

/** Saves them while the project is locked, so that all have begun before the first one is kept. */
const atOnce = async (project: TestProject, names: readonly string[]) => {
  const { answers } = await (await database()).transactional(async (tx) => {
    await rows(tx, sql`select 1 from projects where id = ${project.id} for no key update`);
    const saving = names.map((name) => save(project, name));
    await untilBlocked(tx, names.length);
    return { answers: saving };
  });
  return Promise.all(answers);
};

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

describe('a saved block', () => {
  test('is kept as it is under its name, listed by names, renamed and deleted, and is of its project alone', async () => {
    const first = must(await save(project, ' To the account '), 201);
    expect(first).toMatchObject({ ok: true, name: 'To the account', block: button });
    const second = must(await save(project, 'A row', columns), 201);
    expect(must(await project.api.get('/saved-blocks'), 200).savedBlocks.map(({ block }: { block: unknown }) => block)).toEqual([
      columns,
      button,
    ]);
    const renamed = must(await project.api.call('PATCH', `/saved-blocks/${second.id}`, { name: 'Zebra' }), 200);
    expect(renamed).toMatchObject({ id: second.id, name: 'Zebra', block: columns });
    const other = await newProject();
    expect(await names(other)).toEqual([]);
    expect((await other.api.call('PATCH', `/saved-blocks/${first.id}`, { name: 'Mine' })).status).toBe(404);
    expect((await other.api.delete(`/saved-blocks/${first.id}`)).status).toBe(404);
    expect(await names(project)).toEqual(['To the account', 'Zebra']);
    expect((await project.api.delete(`/saved-blocks/${first.id}`)).body).toEqual({ ok: true, id: first.id, deleted: true });
    expect((await project.api.delete(`/saved-blocks/${first.id}`)).status).toBe(404);
    expect(await names(project)).toEqual(['Zebra']);
  });

  test('has a name that no other of the project has in whatever case, also where two come at once', async () => {
    const own = await newProject();
    const answers = await atOnce(own, ['Twice', 'twice', 'TWICE']);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
    expect(answers.filter(({ status }) => status === 422).map(({ body }) => body.code)).toEqual(['duplicate_label', 'duplicate_label']);
    const { id } = must(await save(own, 'Other'), 201);
    expect((await own.api.call('PATCH', `/saved-blocks/${id}`, { name: 'tWice' })).body).toMatchObject({
      ok: false,
      code: 'duplicate_label',
    });
    expect((await own.api.call('PATCH', `/saved-blocks/${id}`, { name: 'OTHER' })).body).toMatchObject({ ok: true, name: 'OTHER' });
  });

  test.each<[string, unknown, string]>([
    ['no block', 'text', 'block'],
    ['a field that its kind has not', { type: 'divider', align: 'left' }, 'block.align'],
    ['an address that is missing', { type: 'button', label: 'x' }, 'block.url'],
    ['Liquid that does not parse', { type: 'text', text: '{% if %}' }, 'block.text'],
    [
      'a block in a column',
      { ...columns, columns: [{ blocks: [{ type: 'text', text: '' }] }, { blocks: [] }] },
      'block.columns[0].blocks[0].text',
    ],
    ['more than it may hold', { type: 'text', text: 'x'.repeat(16 * 1024) }, 'block'],
  ])('that is %s is refused where the fault is', async (_, block, path) => {
    const { status, body } = await save(project, 'Bad', block);
    expect([status, body.code, body.issues[0].path]).toEqual([422, 'invalid_content', path]);
  });

  test('is one of at most a hundred of a project, and of those that come at once no more are kept', async () => {
    const own = await newProject();
    for (let at = 0; at < MOST_SAVED_BLOCKS - 2; at += 14) {
      await Promise.all(Array.from({ length: 14 }, async (_, index) => must(await save(own, `Block ${at + index}`), 201)));
    }
    const last = await atOnce(own, ['Last 1', 'Last 2', 'Last 3', 'Last 4']);
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 201, 422, 422]);
    expect(last.find(({ status }) => status === 422)?.body.code).toBe('too_many_saved_blocks');
    expect((await names(own)).length).toBe(MOST_SAVED_BLOCKS);
  });
});
