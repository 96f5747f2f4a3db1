import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import * as z from 'zod';
import { issuesOf } from '../../domain/issues.ts';

/** Named in the texts as `{email}`, `{brand}` and `{topic}`. */
export interface PageNames {
  readonly email?: string;
  readonly brand?: string;
  readonly topic?: string;
}

const text = (...names: readonly (keyof PageNames)[]) =>
  z
    .string()
    .min(1)
    .refine((value) => placeholdersOf(value).join() === [...names].sort().join(), {
      error: names.length > 0 ? `should name ${names.map((name) => `{${name}}`).join(' and ')}` : 'should name nothing in braces',
    });

/** All texts of the pages that links in mails lead to. A language is a file of them in `texts/`, named by its BCP 47 tag in lower case. */
const PageTexts = z.strictObject({
  askTitle: text(),
  askText: text('email', 'brand'),
  unsubscribe: text(),
  doneTitle: text(),
  doneText: text('email', 'brand'),
  mistake: text(),
  subscribeAgain: text(),
  againTitle: text(),
  againText: text('email', 'brand'),
  bouncedTitle: text(),
  bouncedText: text('email', 'brand'),
  bouncedAdvice: text('brand'),
  pendingTitle: text(),
  pendingText: text('email', 'brand'),
  blockedTitle: text(),
  blockedText: text('email', 'brand'),
  blockedAdvice: text('brand'),
  testTitle: text(),
  testText: text(),
  badLinkTitle: text(),
  badLinkText: text(),
  choicesTitle: text('brand'),
  choicesText: text('email'),
  saved: text(),
  on: text(),
  off: text(),
  everything: text(),
  confirmTitle: text(),
  confirmText: text('email', 'brand'),
  confirm: text(),
  confirmNot: text(),
  confirmedTitle: text(),
  confirmedText: text('email', 'brand'),
  overTitle: text(),
  overText: text('brand'),
  leftTitle: text('topic'),
  leftText: text('email', 'brand', 'topic'),
});
export type PageText = keyof z.infer<typeof PageTexts>;

function placeholdersOf(value: string): string[] {
  return [...new Set(Array.from(value.matchAll(/\{(\w*)\}/g), ([, name]) => name as string))].sort();
}

/** The texts of one language. */
export interface Language {
  /** BCP 47, for the page to say. */
  readonly tag: string;
  text(name: PageText, names?: PageNames): string;
}

const FALLBACK = 'en';

/** The languages of a folder, by what a reader prefers. Throws naming file and text of the first that is missing or wrong. */
export function loadLanguages(folder: URL): (locale: string | null | undefined) => Language {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const languages = new Map(files.map((name) => [basename(name, '.json'), readLanguage(new URL(name, folder), basename(name, '.json'))]));
  const fallback = languages.get(FALLBACK);
  if (!fallback) throw new Error(`${folder.pathname}: ${FALLBACK}.json is missing`);
  return (locale) => {
    // RFC 4647 3.4: from the whole tag to its language alone.
    const parts = (locale ?? '').toLowerCase().split('-');
    for (let length = parts.length; length > 0; length--) {
      const found = languages.get(parts.slice(0, length).join('-'));
      if (found) return found;
    }
    return fallback;
  };
}

function readLanguage(file: URL, tag: string): Language {
  const read = PageTexts.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!read.success) {
    const [issue] = issuesOf(read.error);
    throw new Error(`${file.pathname}: ${issue?.path}: ${issue?.message}`);
  }
  const texts = read.data;
  return {
    tag,
    text: (name, names = {}) => texts[name].replace(/\{(\w+)\}/g, (_, placeholder: keyof PageNames) => names[placeholder] ?? ''),
  };
}

/** The texts for a reader of this locale; English where there are none. */
export const languageFor = loadLanguages(new URL('./texts/', import.meta.url));
