import mjml2html from 'mjml';
import { type Issue, MAX_ISSUES } from '../errors.ts';
import { compileOwn } from './compile-own.ts';
import type { CompiledContent } from './compiled-content.ts';
import { languageWords } from './language-words.ts';
import { type MjmlSource, readMjml } from './mjml-source.ts';
import { MAX_OWN_CHARACTERS } from './own-content.ts';

/** Nothing is read from anywhere: no files, no settings of MJML, no fonts that it would link to by itself. */
const OPTIONS = {
  validationLevel: 'soft',
  fonts: {},
  keepComments: false,
  ignoreIncludes: true,
  filePath: '',
  useMjmlConfigOptions: false,
} as const;
const PATH = 'content.mjml';
/** Characters of what MJML says is wrong. */
const MAX_MESSAGE = 300;

/**
 * Compiles MJML that `parseContent` accepted: to HTML by MJML, and that as HTML that a call brings. What it can only find out by that is told
 * as issues. `locale`: the language that it is in.
 */
export async function compileMjml(
  source: string,
  locale: string | undefined,
): Promise<{ readonly compiled: CompiledContent } | { readonly issues: readonly Issue[] }> {
  const words = languageWords(locale);
  const read = readMjml(source, PATH, words);
  if ('issues' in read) return read;
  const made = await htmlOf(read);
  if ('issues' in made) return made;
  const html = read.expand(made.html);
  if (html.length > MAX_OWN_CHARACTERS) return failed(`compiles to more than ${MAX_OWN_CHARACTERS} characters of HTML`);
  const own = compileOwn({ html }, words);
  // The line is one of the HTML, which nobody has seen.
  if ('issues' in own) return { issues: own.issues.map(({ message }) => ({ path: PATH, message: message.replace(/^line \d+, /, '') })) };
  const { writes, ...compiled } = own.compiled;
  return {
    compiled: { ...compiled, ...(locale === undefined ? {} : { locale }), writes: writes.filter((path) => path !== 'subject') },
  };
}

async function htmlOf(read: MjmlSource): Promise<{ readonly html: string } | { readonly issues: readonly Issue[] }> {
  try {
    const { html, errors } = await mjml2html(read.mjml, OPTIONS);
    const faults = errors.filter(({ message }) => !isColorByLiquid(read, message));
    if (faults.length === 0) return { html };
    return {
      issues: faults.slice(0, MAX_ISSUES).map(({ line, tagName, message }) => ({
        path: PATH,
        message: `line ${read.lineOf(line)}: ${tagName}: ${read.shown(message).slice(0, MAX_MESSAGE)}`,
      })),
    };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return failed(`MJML cannot compile it: ${read.shown((error as Error).message).slice(0, MAX_MESSAGE)}`);
  }
}

/** MJML computes with lengths and passes colors on, so of those Liquid may say what they are. */
function isColorByLiquid(read: MjmlSource, message: string): boolean {
  return /for type Color\b/i.test(message) && read.hasLiquid(message);
}

function failed(message: string): { readonly issues: readonly Issue[] } {
  return { issues: [{ path: PATH, message }] };
}
