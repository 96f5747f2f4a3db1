import * as z from 'zod';
import { canonicalLocale } from '../contacts/locale.ts';
import type { Issue } from '../errors.ts';
import { issuesOf } from '../issues.ts';
import { JsonValue } from '../json-value.ts';
import type { SendType } from '../sends/send.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH } from '../text-lengths.ts';
import { compileWritten } from './compile.ts';
import type { CompiledContent } from './compiled-content.ts';
import type { Content } from './content.ts';
import { liquidFault } from './content-liquid.ts';
import { parseContent } from './parse-content.ts';

const text = (max: number) =>
  z
    .string()
    .min(1, { error: 'should not be empty' })
    .max(max, { error: `at most ${max} characters` });

const DATA_PATH = /^[A-Za-z_][\w-]*(?:\.[\w-]+)*$/;
const NOT_A_PATH = { error: 'should be a dotted path like order.total' };

const REQUIRED = { description: 'true: an email whose data lacks it is not sent, 422 send_failed with reason render_failed' };

/** Templates of its own that one project may have. */
export const MOST_PROJECT_TEMPLATES = 200;

/** One variable that a template expects in `data`. */
export const DataField = z
  .strictObject({
    path: z.string().regex(DATA_PATH, NOT_A_PATH).meta({ description: 'Dotted, like order.total' }),
    kind: z.enum(['string', 'number', 'boolean', 'array', 'object', 'date', 'url']).meta({ description: 'What kind of value it has' }),
    sample: JsonValue.optional().meta({ description: 'A value as it could be' }),
    required: z.boolean().optional().meta(REQUIRED),
  })
  .meta({ id: 'TemplateDataField', description: 'One variable that a template expects in data' });
export type DataField = z.infer<typeof DataField>;

/** What is expected where there is no template. */
export const NOTHING_DECLARED: readonly DataField[] = [];

/** The same as a caller declares it. */
export const DataFieldInput = DataField.extend({
  required: z.boolean().nullish().meta(REQUIRED),
  path: z
    .string()
    .max(200, { error: 'at most 200 characters', abort: true })
    .regex(DATA_PATH, NOT_A_PATH)
    .meta({ description: 'Dotted, like order.total' }),
}).meta({ id: 'TemplateDataFieldInput', description: 'One variable that a template expects in data' });

/** What names a template in paths, campaigns and sequences. */
export const NewTemplateKey = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, { error: 'should be 1 to 100 letters, digits, dots, dashes and underscores' })
  .meta({ description: 'Names it in sends, campaigns and sequences' });

const CONTENT = z.unknown().refine((value) => value !== undefined, { error: 'required' });

/** A template as its file writes it: docs/contract/templates.md 2. The content has a schema and messages of its own. */
const EntryFile = z.strictObject({
  key: NewTemplateKey,
  type: z.enum(['transactional', 'marketing'], { error: 'should be transactional or marketing' }),
  name: text(MAX_NAME_LENGTH),
  description: z.string(),
  subject: text(MAX_SUBJECT_LENGTH),
  dataSchema: z.array(DataField),
  content: CONTENT,
  projects: z.array(text(100)).optional(),
  languages: z
    .record(
      z.string().refine((tag) => canonicalLocale(tag) === tag, { error: 'should be a BCP 47 tag in its usual spelling, like de-AT' }),
      z.strictObject({ subject: text(MAX_SUBJECT_LENGTH), content: CONTENT }),
    )
    .optional(),
});

/** A template of the registry, compiled. */
export interface RegistryEntry {
  readonly key: string;
  readonly type: SendType;
  readonly name: string;
  readonly description: string;
  /** Liquid. */
  readonly subject: string;
  readonly dataSchema: readonly DataField[];
  readonly content: Content;
  /** Slugs of the projects it is for; absent: for all. */
  readonly projects?: readonly string[];
  readonly compiled: CompiledContent;
  /** What it ships with in other languages, by BCP 47 tag: as long as nothing is published, mails say it. */
  readonly languages?: Readonly<Record<string, ShippedLanguage>>;
  /** Of a template that its project has made by itself; absent: it belongs to the installation. */
  readonly own?: OwnTemplate;
}

/** What a template of the installation says in one language. */
export type ShippedLanguage = Pick<RegistryEntry, 'subject' | 'content' | 'compiled'>;

/** Which of the templates that a project has made it is, since a key may be deleted and made again. */
export interface OwnTemplate {
  readonly id: string;
  readonly madeAt: Date;
  /** Of the variables that it declares: 1 as it was made, one more with every change. */
  readonly schemaVersion: number;
}

/** Names what an entry renders by itself, for caches: one never changes. `locale`: a language that it ships with. */
export function entryId({ key, own }: Pick<RegistryEntry, 'key' | 'own'>, locale?: string): string {
  return own ? `own ${own.id}` : locale === undefined ? `registry ${key}` : `registry ${key} ${locale}`;
}

/** The languages that it ships with, as far as mails say them: as long as nothing is published as the default. */
export function shippedLanguages(
  entry: Pick<RegistryEntry, 'languages'> | undefined,
  publishedVersion: number | null,
): NonNullable<RegistryEntry['languages']> {
  return publishedVersion === null ? (entry?.languages ?? {}) : {};
}

/** Compiles content that was read; gives what is wrong with it instead when something is. */
export type CompileEntry = (
  content: Content,
  locale?: string,
) => Promise<{ readonly compiled: CompiledContent } | { readonly issues: readonly Issue[] }>;

const compileHere: CompileEntry = (content, locale) => compileWritten(content, { locale });

/** Reads one entry; gives everything that is wrong with it instead when something is. */
export async function readRegistryEntry(
  file: unknown,
  compile: CompileEntry = compileHere,
): Promise<{ readonly entry: RegistryEntry } | { readonly issues: readonly Issue[] }> {
  const parsed = EntryFile.safeParse(file);
  const read = parseContent((file as { content?: unknown } | null)?.content);
  const subject = (file as { subject?: unknown } | null)?.subject;
  const fault = typeof subject === 'string' ? liquidFault(subject) : undefined;
  if (!parsed.success || read.issues || fault) {
    const faults = fault ? [{ path: 'subject', message: fault }] : [];
    return { issues: [...(parsed.success ? [] : issuesOf(parsed.error)), ...faults, ...(read.issues ?? [])] };
  }
  const { projects, languages: given = {}, ...fields } = parsed.data;
  const made = await compile(read.content);
  if ('issues' in made) return made;
  const languages = await readLanguages(given, compile);
  if ('issues' in languages) return languages;
  const hasLanguages = Object.keys(languages.read).length > 0;
  const optional = { ...(projects && { projects }), ...(hasLanguages && { languages: languages.read }) };
  return { entry: { ...fields, ...optional, content: read.content, compiled: made.compiled } };
}

/** The languages of an entry; everything that is wrong with the first that is not right instead. */
async function readLanguages(
  given: Readonly<Record<string, { readonly subject: string; readonly content?: unknown }>>,
  compile: CompileEntry,
): Promise<{ readonly read: Record<string, ShippedLanguage> } | { readonly issues: readonly Issue[] }> {
  const languages: Record<string, ShippedLanguage> = {};
  for (const [locale, { subject, content }] of Object.entries(given)) {
    const at = (issues: readonly Issue[]) => ({
      issues: issues.map(({ path, message }) => ({ path: `languages.${locale}.${path}`, message })),
    });
    const fault = liquidFault(subject);
    if (fault) return at([{ path: 'subject', message: fault }]);
    const read = parseContent(content);
    if (read.issues) return at(read.issues);
    const made = await compile(read.content, locale);
    if ('issues' in made) return at(made.issues);
    languages[locale] = { subject, content: read.content, compiled: made.compiled };
  }
  return { read: languages };
}
