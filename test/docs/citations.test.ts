import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { renderPage } from '../../api/documentation/markdown.ts';
import { guideNames } from '../support/guide-blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CODE = [
  'activities',
  'api',
  'bench',
  'bin',
  'console/src',
  'db',
  'domain',
  'local',
  'platform',
  'sending',
  'test',
  'usecases',
  'webhooks',
  'workflows',
];

function filesOf(folder: string, ending: RegExp): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => ending.test(name)).map((name) => join(folder, name));
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const code = CODE.flatMap((folder) => filesOf(folder, /\.(tsx?|js)$/));
/** What is written for developers, and names files of the tree. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/README.md',
  'docs/architecture.md',
  ...filesOf('docs/contract', /\.md$/),
  ...filesOf('docs/decisions', /\.md$/),
];

/** `docs/contract/sends.md 5, 8, 14 to 20`. */
const CITATION = /docs\/contract\/[\w-]+\.md(?: \d+(?:(?:, | to | and )\d+)*)?/g;

interface Citation {
  readonly where: string;
  readonly document: string;
  readonly rules: readonly number[];
}

function citationsIn(file: string): Citation[] {
  return [...textOf(file).matchAll(CITATION)].map(([found]) => {
    const [document = '', ...rest] = found.split(' ');
    return { where: `${file}: ${found}`, document, rules: (rest.join(' ').match(/\d+/g) ?? []).map(Number) };
  });
}

/** Lines that are comments, or end with one. */
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/).*$| \/\/ .*$/gm;

/** The numbers of its rules. */
function rulesOf(document: string): Set<number> {
  return new Set([...textOf(document).matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number)));
}

test('every rule that a comment cites is in the contract', () => {
  const cited = [...code, ...pages].flatMap(citationsIn);
  expect(cited.length).toBeGreaterThan(150);
  const wrong = cited.filter(
    ({ document, rules }) => !existsSync(join(ROOT, document)) || rules.some((rule) => !rulesOf(document).has(rule)),
  );
  expect(wrong.map(({ where }) => where)).toEqual([]);
});

test('the rules of each file of the contract are numbered from 1 without gaps', () => {
  for (const document of filesOf('docs/contract', /\.md$/)) {
    const numbers = [...rulesOf(document)];
    expect([document, numbers]).toEqual([document, numbers.map((_, index) => index + 1)]);
  }
});

test('every document that a comment names is in the repository', () => {
  // By its path, or by its name alone.
  const names = new Set([...filesOf('docs', /\.md$/), 'README.md', 'bench/README.md'].flatMap((path) => [path, path.split('/').at(-1)!]));
  const commentsOf = (file: string): string => (textOf(file).match(COMMENT) ?? []).join('\n');
  const named = code.flatMap((file) => [...commentsOf(file).matchAll(/(?<![\w./$-])[\w/-]+\.md\b/g)].map(([name]) => ({ file, name })));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !names.has(name)).map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test('every file and folder that a page for developers names is there', () => {
  const folders = [...new Set(CODE.map((folder) => folder.split('/')[0])), 'docs', 'ops', 'templates'].join('|');
  const path = new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g');
  const named = pages.flatMap((page) => [...textOf(page).matchAll(path)].map(([, name = '']) => ({ page, name })));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !existsSync(join(ROOT, name))).map(({ page, name }) => `${page}: ${name}`)).toEqual([]);
});

test('every link of a page for developers leads to what is there, a heading of a page too', () => {
  const links = [...pages, 'SECURITY.md', 'CHANGELOG.md', 'bench/README.md'].flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => ({ page, to })).filter(({ to }) => !/^https?:/.test(to)),
  );
  expect(links.length).toBeGreaterThan(150);
  const missing = links.filter(({ page, to }) => {
    const [path = '', heading] = to.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    return !existsSync(join(ROOT, file)) || (heading !== undefined && !renderPage(textOf(file)).html.includes(` id="${heading}"`));
  });
  expect(missing.map(({ page, to }) => `${page}: ${to}`)).toEqual([]);
});

test('the index of docs/ and the first page lead to every guide', () => {
  for (const [page, folder] of [
    ['docs/README.md', ''],
    ['README.md', 'docs/'],
  ] as const)
    expect([page, guideNames().filter((name) => !textOf(page).includes(`](${folder}${name}.md)`))]).toEqual([page, []]);
});
