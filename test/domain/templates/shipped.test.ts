import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { templateSchema } from '../../../domain/templates/data-schema.ts';
import type { RegistryEntry } from '../../../domain/templates/registry-entry.ts';
import { type RenderedMail, renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { ConfigError } from '../../../platform/config-error.ts';
import { loadTemplateRegistry } from '../../../sending/compose/template-registry.ts';
import { BRAND, CONTACT, NOW } from './fixtures.ts';

const KEYS = [
  'announcement',
  'confirm-subscription',
  'magic-link',
  'newsletter',
  'password-reset',
  'receipt',
  'trial-ending',
  'welcome',
  'win-back',
];
const GOLDEN = new URL('../../golden/', import.meta.url);
const registry = await loadTemplateRegistry();

function rendered(entry: RegistryEntry, data: Record<string, unknown>): RenderedMail {
  const unsubscribeUrl = entry.type === 'marketing' ? 'https://mail.example.com/unsubscribe?c=1&t=2' : undefined;
  const variables = mailVariables({ data, contact: CONTACT, brand: BRAND, recipientEmail: CONTACT.email, unsubscribeUrl, now: NOW });
  return renderMail(entry.compiled, { subject: entry.subject, variables, type: entry.type });
}

/** UPDATE_GOLDEN=1 writes the files; look at the difference before you commit it. */
function expectGolden(name: string, actual: string): void {
  const file = new URL(name, GOLDEN);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, actual);
  expect(existsSync(file)).toBe(true);
  expect(actual).toBe(readFileSync(file, 'utf8'));
}

test('the registry ships nine templates', () => {
  expect(registry.list('any').map(({ key }) => key)).toEqual(KEYS);
});

test.each(KEYS)('%s renders as it did', (key) => {
  const entry = registry.get(key)!;
  const mail = rendered(entry, Object.fromEntries(entry.dataSchema.map(({ path, sample }) => [path, sample])));
  expect(mail.missing).toEqual([]);
  expectGolden(`${key}.html`, mail.html);
  expectGolden(`${key}.txt`, `Subject: ${mail.subject}\n\n${mail.text}`);
});

test.each(KEYS)('%s reads well without any data', (key) => {
  const { subject, text } = rendered(registry.get(key)!, {});
  expectGolden(`${key}.no-data.txt`, `Subject: ${subject}\n\n${text}`);
});

const LANGUAGES = KEYS.flatMap((key) =>
  Object.entries(registry.get(key)?.languages ?? {}).map(([locale, said]) => ({ key, locale, said })),
);

test('what is asked of people who signed up ships in the languages of the page that they answer on', () => {
  const languages = readdirSync(new URL('../../../api/pages/texts/', import.meta.url)).map((name) => basename(name, '.json'));
  const shipped = LANGUAGES.filter(({ key }) => key === 'confirm-subscription').map(({ locale }) => locale);
  expect(['en', ...shipped].sort()).toEqual(languages.sort());
});

test.each(LANGUAGES)('$key renders as it did in $locale', ({ key, locale, said }) => {
  const entry = { ...registry.get(key)!, ...said };
  const { missing, subject, text } = rendered(entry, Object.fromEntries(entry.dataSchema.map(({ path, sample }) => [path, sample])));
  expect(missing).toEqual([]);
  expectGolden(`${key}.${locale}.txt`, `Subject: ${subject}\n\n${text}`);
  const described = templateSchema(entry, entry.subject, entry.content).dataSchema;
  expect(described.map(({ image: _, ...field }) => field)).toEqual(entry.dataSchema);
});

test.each(KEYS)('%s declares every variable that it uses, with a sample', (key) => {
  const entry = registry.get(key)!;
  const described = templateSchema(entry, entry.subject, entry.content).dataSchema;
  expect(described.map(({ image: _, ...field }) => field)).toEqual(entry.dataSchema);
  for (const field of entry.dataSchema) expect(field).toHaveProperty('sample');
});

test.each([
  ['{{ photo }}', 'photo'],
  ['{{photo | default: brand.logo_url}}', 'photo'],
  ['{{ shop.photo }}', 'shop.photo'],
  ['https://pictures.example/{{ photo }}.png', undefined],
  ['{{ photo | append: ".png" }}', undefined],
])('what the image block %s shows is told as an image: %s', (src, image) => {
  const blocks = [
    { type: 'image' as const, src, alt: '{{ title }}' },
    { type: 'button' as const, label: 'More', url: '{{ link }}' },
  ];
  const { dataSchema } = templateSchema({ type: 'marketing', dataSchema: [] }, '', { blocks });
  expect(dataSchema.filter((field) => field.image).map(({ path }) => path)).toEqual(image ? [image] : []);
});

const GOOD = {
  key: 'own',
  type: 'marketing',
  name: 'Own',
  description: '',
  subject: 'Hi',
  dataSchema: [],
  content: { blocks: [] },
  projects: ['acme'],
};

async function folderWith(file: unknown): Promise<{ directory: string; path: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'everpost-templates-'));
  const path = join(directory, 'own.json');
  await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file));
  return { directory, path };
}

test('a folder of its own adds templates, for the projects that they name', async () => {
  const { directory } = await folderWith(GOOD);
  const extended = await loadTemplateRegistry(directory);
  expect(extended.list('acme').map(({ key }) => key)).toContain('own');
  expect(extended.list('other').map(({ key }) => key)).toEqual(KEYS);
  expect(extended.isFor(extended.get('own')!, 'other')).toBe(false);
});

test.each([
  ['{', 'not valid JSON'],
  [[], ': '],
  [{ ...GOOD, key: 'welcome' }, 'key: "welcome" is already the key of'],
  [{ ...GOOD, key: 'a b' }, 'key: should be 1 to 100 letters'],
  [{ ...GOOD, type: 'news' }, 'type: should be transactional or marketing'],
  [{ ...GOOD, subject: '{{ x' }, 'subject: line 1, output "{{ x" not closed'],
  [{ ...GOOD, project: 'acme' }, 'project: no such field'],
  [{ ...GOOD, dataSchema: [{ path: 'a b', kind: 'string' }] }, 'dataSchema[0].path: should be a dotted path'],
  [{ ...GOOD, content: undefined }, 'content: required'],
  [
    { ...GOOD, content: { blocks: [{ type: 'button', label: 'x', url: 'ftp://x' }] } },
    'content.blocks[0].url: only https, http and mailto',
  ],
])('a bad entry %j stops the start, naming file and field', async (file, message) => {
  const { directory, path } = await folderWith(file);
  const failure = await loadTemplateRegistry(directory).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigError);
  expect((failure as ConfigError).message).toContain(path);
  expect((failure as ConfigError).message).toContain(message);
});

test('the example of the documentation is a template', async () => {
  const page = readFileSync(new URL('../../../docs/templates-dir.md', import.meta.url), 'utf8');
  const { directory } = await folderWith(/```json[^\n]*\n(.*?)```/s.exec(page)![1]!);
  const entry = (await loadTemplateRegistry(directory)).get('order-shipped')!;
  const { text, missing } = rendered(entry, Object.fromEntries(entry.dataSchema.map(({ path, sample }) => [path, sample])));
  expect(missing).toEqual([]);
  expect(text).toContain('Espresso beans, 1 kg | 2');
  expect(rendered(entry, { orderNumber: '7' }).text).not.toContain('In the parcel');
});

test('a folder that is not there stops the start', async () => {
  await expect(loadTemplateRegistry('/nowhere/at/all')).rejects.toThrow('TEMPLATES_DIR: /nowhere/at/all should be a folder');
});
