import { Failure } from '../failure.ts';
import { isEqual, withoutNulls } from './canonical.ts';
import type { Folder } from './folder.ts';
import { type Content, contentOfMarkdown, markdownOf } from './markdown-content.ts';
import { changedYamlFile, newYamlFile, parseYamlObject } from './yaml-text.ts';

/** How the content of a template is written. */
export type Format = 'yaml' | 'json' | 'md';
export const FORMATS: readonly Format[] = ['yaml', 'json', 'md'];

const NAME = /^content(?:\.([A-Za-z0-9-]+))?\.(yaml|json|md)$/;

/** A file of content, by the language that it is in; null: the default. */
export interface ContentFile {
  readonly path: string;
  readonly locale: string | null;
  readonly format: Format;
  readonly content: Content;
}

/** The contents in the folder of a template. Throws a Failure where a language has two files. */
export async function readContents(folder: Folder, at: string): Promise<ContentFile[]> {
  const found: ContentFile[] = [];
  for (const name of await folder.list(at)) {
    const [, locale = null, format] = NAME.exec(name) ?? [];
    if (/^content.*\.mjml$/.test(name))
      throw new Failure(
        `${at}/${name}: templates are made of blocks, and the API takes no MJML; write content.yaml, content.json or content.md`,
      );
    if (format === undefined) continue;
    const path = `${at}/${name}`;
    const other = found.find((file) => file.locale === locale);
    if (other) throw new Failure(`${path} and ${other.path} are of the same language; keep one`);
    found.push({ path, locale, format: format as Format, content: parseContent((await folder.read(path)) ?? '', format as Format, path) });
  }
  return found;
}

function parseContent(text: string, format: Format, path: string): Content {
  return withoutNulls(format === 'md' ? contentOfMarkdown(text, path) : (parseYamlObject(text, path) as unknown as Content));
}

/** What the file of this content is to hold; as it is where it says that already. */
export function contentText(content: Content, format: Format, schemaUrl: string, before: string | undefined, path: string): string {
  if (before !== undefined && says(before, format, content, path)) return before;
  if (format === 'md') return markdownOf(content);
  if (format === 'json') return `${JSON.stringify(content, null, 2)}\n`;
  const value = { ...content } as unknown as Parameters<typeof newYamlFile>[0];
  return before === undefined ? newYamlFile(value, schemaUrl) : changedYamlFile(before, value, schemaUrl);
}

function says(text: string, format: Format, content: Content, path: string): boolean {
  try {
    return isEqual(parseContent(text, format, path), content);
  } catch {
    return false;
  }
}

export function contentName(locale: string | null, format: Format): string {
  return locale === null ? `content.${format}` : `content.${locale}.${format}`;
}
