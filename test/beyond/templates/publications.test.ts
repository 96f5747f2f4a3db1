import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { addSecondBrand, saying } from '../../api/templates/own-template.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

const path = '/templates/welcome';

interface Numbers {
  readonly version: number;
  readonly publication: number | null;
}

const saverOf = ({ api }: TestProject) => {
  const put = (text: string, more: object) => api.put(`${path}/content`, { content: saying(text), ...more });
  return {
    draft: async (text: string, more: object = {}) => must(await put(text, more), 200),
    publish: async (text: string, more: object = {}) => must(await put(text, { publish: true, ...more }), 200),
  };
};

/** By `version`, latest first. */
const listed = async ({ api }: TestProject, query = ''): Promise<[number, number | null][]> =>
  must(await api.get(`${path}/versions${query}`), 200).versions.map(({ version, publication }: Numbers) => [version, publication]);

test('the first publication is 1 however many drafts were saved before, and the answer, the content, the list and the version agree', async () => {
  const own = await newProject();
  const { draft, publish } = saverOf(own);
  for (const text of ['one', 'two']) expect(await draft(text)).not.toHaveProperty('publication');
  expect(await publish('three')).toMatchObject({ version: 3, publication: 1 });
  await draft('four');
  expect(await publish('five')).toMatchObject({ version: 5, publication: 2 });
  await draft('six');
  const content = must(await own.api.get(`${path}/content`), 200);
  expect(content.published).toMatchObject({ version: 5, publication: 2 });
  expect(content.draft).not.toHaveProperty('publication');
  const all = await listed(own);
  expect(all).toEqual([
    ...[
      [6, null],
      [5, 2],
      [4, null],
      [3, 1],
    ],
    ...[
      [2, null],
      [1, null],
    ],
  ]);
  for (const [version, publication] of all) {
    expect(must(await own.api.get(`${path}/versions/${version}`), 200)).toMatchObject({ version, publication });
  }
});

test('a publication keeps its number on every page of the list, and when drafts before it are deleted', async () => {
  const own = await newProject();
  const { draft, publish } = saverOf(own);
  await draft('first draft');
  for (const text of ['one', 'two']) await publish(text);
  for (let more = 0; more < 12; more++) await draft(`draft ${more}`);
  await publish('three');
  const published = (all: [number, number | null][]) => all.filter(([, publication]) => publication !== null);
  const all = await listed(own);
  expect([all.some(([version]) => version === 1), published(all)]).toEqual([
    false,
    [
      [16, 3],
      [3, 2],
      [2, 1],
    ],
  ]);
  expect(await listed(own, '?limit=1')).toEqual([[16, 3]]);
  expect(await listed(own, '?limit=1&before=4')).toEqual([[3, 2]]);
  expect(await listed(own, '?before=3')).toEqual([[2, 1]]);
});

test('of two publications at once one is 1 and the other 2', async () => {
  const own = await newProject();
  const { draft, publish } = saverOf(own);
  await draft('before both');
  const em = (await database()).fork();
  const both = await em.transactional(async (tx) => {
    // The first waits here with the template's lock, the second for that.
    await rows(tx, sql`lock table template_versions in share mode`);
    const publishing = [publish('one'), publish('other')];
    await untilBlocked(tx, 2);
    return publishing;
  });
  const answers = (await Promise.all(both)).toSorted((one, other) => one.version - other.version);
  expect(answers.map(({ version, publication }: Numbers) => [version, publication])).toEqual([
    [2, 1],
    [3, 2],
  ]);
});

test('each brand counts its own publications', async () => {
  const own = await newProject();
  await addSecondBrand(own);
  const { draft, publish } = saverOf(own);
  await publish('of the first');
  await publish('of the first again');
  await draft('of the second', { brand: 'second' });
  expect(await publish('of the second', { brand: 'second' })).toMatchObject({ version: 2, publication: 1 });
  expect(await listed(own, '?brand=second')).toEqual([[2, 1]]);
  expect(must(await own.api.get(`${path}/content?brand=second`), 200).published.publication).toBe(1);
  expect(must(await own.api.get(`${path}/content`), 200).published.publication).toBe(2);
});
