import { Failure } from '../failure.ts';
import { isEqual, withoutNulls } from './canonical.ts';
import type { Folder } from './folder.ts';
import { type Content, contentOfMarkdown, markdownOf } from './markdown-content.ts';
import { changedYamlFile, newYamlFile, parseYamlObject } from './yaml-text.ts';

/** How content of blocks is written. */
export type Format = 'yaml' | 'json' | 'md';
export const FORMATS: readonly Format[] = ['yaml', 'json', 'md'];
/** The same, or content in MJML; `yml` is YAML of whoever names it so. */
export type FileFormat = Format | 'yml' | 'mjml';
const FILE_FORMATS: readonly FileFormat[] = [...FORMATS, 'yml', 'mjml'];

const NAME = new RegExp(`^content(?:\\.([A-Za-z0-9-]+))?\\.(${FILE_FORMATS.join('|')})$`);
/** What names they have, for people. */
export const NAME_WORDS = `content.<format> or content.<language>.<format>, of the formats ${FILE_FORMATS.join(', ')}`;

/** A file of content, by the language that it is in; null: the default. */
export interface ContentFile {
  readonly path: string;
  readonly locale: string | null;
  readonly format: FileFormat;
  readonly content: Content;
}

/** The contents in the folder of a template. Throws a Failure where a language has two files. */
export async function readContents(folder: Folder, at: string): Promise<ContentFile[]> {
  const found: ContentFile[] = [];
  for (const name of await folder.list(at)) {
    const [, locale = null, format] = NAME.exec(name) ?? [];
    if (format === undefined) continue;
    const path = `${at}/${name}`;
    const other = found.find((file) => file.locale === locale);
    if (other) throw new Failure(`${folder.named(path)} and ${folder.named(other.path)} are of the same language; keep one`);
    const text = await folder.read(path);
    if (text === undefined) throw new Failure(`${folder.named(path)} cannot be read: it is gone`);
    found.push({ path, locale, format: format as FileFormat, content: parseContent(text, format as FileFormat, folder.named(path)) });
  }
  return found;
}

/** Whether an email of it would be empty. What has other members than an email needs is for the API to judge. */
export function saysNothing(content: Content): boolean {
  if ('mjml' in content) return content.mjml.trim() === '';
  const { preheader: _, blocks, ...others } = content as Partial<Exclude<Content, { mjml: string }>>;
  return Object.keys(others).length === 0 && (blocks === undefined || (Array.isArray(blocks) && blocks.length === 0));
}

/** The language of a file of this name, null for the default; undefined: it is no file of content. */
export function localeOf(name: string): string | null | undefined {
  const found = NAME.exec(name);
  return found ? (found[1] ?? null) : undefined;
}

/** The file that a content goes to: the one that there is, as long as it can hold it. `format`: where there is none, of blocks. */
export async function fileFor(
  folder: Folder,
  at: string,
  { names, locale, content, format }: { names: readonly string[]; locale: string | null; content: Content; format: Format },
): Promise<{ readonly name: string; readonly format: FileFormat; readonly before: string | undefined }> {
  const there = FILE_FORMATS.find((one) => names.includes(contentName(locale, one)));
  const before = there && (await folder.read(`${at}/${contentName(locale, there)}`));
  const isMjml = 'mjml' in content;
  // YAML and JSON can hold MJML as well, and whoever writes it so keeps it.
  const stays = there && before !== undefined && (isMjml ? there === 'mjml' || holdsMjml(before, there, at) : there !== 'mjml');
  const kept = stays ? there : isMjml ? 'mjml' : format;
  return { name: contentName(locale, kept), format: kept, before: stays ? before : undefined };
}

function holdsMjml(text: string, format: FileFormat, path: string): boolean {
  try {
    return format !== 'md' && 'mjml' in parseContent(text, format, path);
  } catch {
    return false;
  }
}

function parseContent(text: string, format: FileFormat, path: string): Content {
  if (format === 'mjml') return { mjml: text };
  return withoutNulls(format === 'md' ? contentOfMarkdown(text, path) : (parseYamlObject(text, path) as unknown as Content));
}

/** What the file of this content is to hold; as it is where it says that already. */
export function contentText(content: Content, format: FileFormat, schemaUrl: string, before: string | undefined, path: string): string {
  if (before !== undefined && says(before, format, content, path)) return before;
  if ('mjml' in content) {
    if (format === 'mjml') return content.mjml;
  } else if (format === 'md') return markdownOf(content);
  if (format === 'json') return `${JSON.stringify(content, null, 2)}\n`;
  const value = { ...content } as unknown as Parameters<typeof newYamlFile>[0];
  return before === undefined ? newYamlFile(value, schemaUrl) : changedYamlFile(before, value, schemaUrl);
}

function says(text: string, format: FileFormat, content: Content, path: string): boolean {
  try {
    return isEqual(parseContent(text, format, path), content);
  } catch {
    return false;
  }
}

export function contentName(locale: string | null, format: FileFormat): string {
  return locale === null ? `content.${format}` : `content.${locale}.${format}`;
}
