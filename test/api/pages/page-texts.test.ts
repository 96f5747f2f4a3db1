import { copyFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { loadLanguages } from '../../../api/pages/page-texts.ts';

const ENGLISH = new URL('../../../api/pages/texts/en.json', import.meta.url);
const english = JSON.parse(await readFile(ENGLISH, 'utf8')) as Record<string, string>;

async function folderWith(name: string, texts: object): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'everpost-texts-'));
  await copyFile(ENGLISH, join(folder, 'en.json'));
  await writeFile(join(folder, name), JSON.stringify(texts));
  return pathToFileURL(`${folder}/`);
}

test('a file is a language: the longest tag that a locale begins with counts, and English where there is none', async () => {
  const languageFor = loadLanguages(await folderWith('pt-br.json', { ...english, askText: '{brand}: {email}' }));
  expect(languageFor('pt-BR-x-own').text('askText', { email: 'e$&', brand: 'b' })).toBe('b: e$&');
  expect(['pt', 'pt-PT', 'xx', '', null, undefined].map((locale) => languageFor(locale).tag)).toEqual(Array(6).fill('en'));
});

test.each<[string, object, string]>([
  ['lacks a text', { ...english, askTitle: undefined }, 'askTitle'],
  ['has one that no page shows', { ...english, other: 'x' }, 'other'],
  ['does not name the brand', { ...english, askText: '{email}' }, 'askText: should name {email} and {brand}'],
  ['names something else', { ...english, askTitle: '{name}?' }, 'askTitle: should name nothing in braces'],
])('a language that %s stops the start, naming file and text', async (_, texts, message) => {
  const folder = await folderWith('xx.json', texts);
  expect(() => loadLanguages(folder)).toThrow(/xx\.json/);
  expect(() => loadLanguages(folder)).toThrow(message);
});
