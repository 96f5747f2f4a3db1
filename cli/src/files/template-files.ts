import { Failure } from '../failure.ts';
import { isObject, type Json, type JsonObject, withoutNullMembers } from './canonical.ts';
import { contentText, type Format, fileFor, localeOf, NAME_WORDS, readContents } from './content-files.ts';
import { type FileWarning, type Folder, visibleNames, type WorkFolder, yamlFileAt } from './folder.ts';
import { refuseUnknown } from './known-fields.ts';
import { type Content, markdownDoubts } from './markdown-content.ts';
import { changedYamlFile, newYamlFile, parseYamlObject, readYamlObject, yamlSpots } from './yaml-text.ts';

/** A template as its files have it. */
export interface TemplateModel {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly subject: string;
  readonly enabled: boolean;
  readonly from: JsonObject | null;
  readonly dataSchema: readonly Json[];
  readonly content: Content;
  readonly languages: Readonly<Record<string, LanguageModel>>;
}

export interface LanguageModel {
  /** Empty: that of the default. */
  readonly subject: string;
  readonly content: Content;
}

export const TEMPLATES = 'templates';
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const KEY_WORDS = '1 to 100 letters, digits, dots, dashes and underscores';
const LOCALE = /^[A-Za-z0-9-]{1,35}$/;
const FIELDS = ['type', 'name', 'description', 'subject', 'enabled', 'from', 'dataSchema', 'languages'];

/** Throws a Failure for a key that is no name of a folder. */
export function templateFolder(key: string): string {
  if (!KEY.test(key)) throw new Failure(`${key} is no key of a template: ${KEY_WORDS}`);
  return `${TEMPLATES}/${key}`;
}

/** The keys that have a folder. */
export async function templateKeys(folder: Folder): Promise<string[]> {
  const names = (await folder.list(TEMPLATES)).filter((name) => KEY.test(name));
  const files = await Promise.all(names.map((name) => headFile(folder, `${TEMPLATES}/${name}`)));
  return names.filter((_, at) => files[at] !== undefined);
}

/** The file that says what the template in this folder is; undefined where there is none. */
export function headFile(folder: Folder, at: string): Promise<string | undefined> {
  return yamlFileAt(folder, `${at}/template`);
}

/** What stands among the templates and is none, what stands in the folder of one and is no file of it, what their Markdown says that no email has, and samples of another kind. */
export async function templateWarnings(folder: Folder): Promise<FileWarning[]> {
  const found: FileWarning[] = [];
  for (const name of await visibleNames(folder, TEMPLATES)) {
    const path = `${TEMPLATES}/${name}`;
    if (!KEY.test(name)) found.push({ path, message: `ignored: its name is not a template key: ${KEY_WORDS}` });
    else if ((await headFile(folder, path)) === undefined)
      found.push({ path, message: 'ignored: not a template, which is a folder with a template.yaml or template.yml' });
    else
      for (const file of await visibleNames(folder, path))
        if (file.endsWith('.md') && localeOf(file) !== undefined)
          for (const doubt of markdownDoubts((await folder.read(`${path}/${file}`)) ?? ''))
            found.push({ path: `${path}/${file}`, ...doubt });
        else if (/^template\.ya?ml$/.test(file))
          for (const doubt of sampleDoubts((await folder.read(`${path}/${file}`)) ?? '')) found.push({ path: `${path}/${file}`, ...doubt });
        else if (localeOf(file) === undefined)
          found.push({ path: `${path}/${file}`, message: `ignored: not a file of a template, which are template.yaml and ${NAME_WORDS}` });
  }
  return found;
}

/** Of a kind of variable: whether a value could be one. Of the other kinds any text may be. */
const IS_OF_KIND: Readonly<Record<string, (sample: Json) => boolean>> = {
  number: (sample) => typeof sample !== 'object' && String(sample).trim() !== '' && Number.isFinite(Number(sample)),
  boolean: (sample) => typeof sample === 'boolean',
  array: Array.isArray,
  object: isObject,
};

/** Samples that are not of the kind that their variable is declared with. */
function sampleDoubts(text: string): Omit<FileWarning, 'path'>[] {
  let dataSchema: Json | undefined;
  try {
    dataSchema = parseYamlObject(text, '').dataSchema;
  } catch {
    // What cannot be read is refused, with its place.
    return [];
  }
  const spotOf = yamlSpots(text);
  return (Array.isArray(dataSchema) ? dataSchema : []).flatMap((field, at) => {
    const { path, kind, sample } = isObject(field) ? field : {};
    const isOfKind = Object.hasOwn(IS_OF_KIND, String(kind)) ? IS_OF_KIND[String(kind)] : undefined;
    if (sample === undefined || sample === null || !isOfKind || isOfKind(sample)) return [];
    const { line = 1 } = spotOf(['dataSchema', at, 'sample']);
    return [{ line, message: `the sample of ${path} is no ${kind}, which is its kind: previews show the one, types say the other` }];
  });
}

/** Undefined where there is no such template. Throws a Failure that names the file where it is written wrong. */
export async function readTemplate(folder: Folder, key: string): Promise<TemplateModel | undefined> {
  const at = templateFolder(key);
  const path = await headFile(folder, at);
  if (path === undefined) return undefined;
  const text = (await folder.read(path)) ?? '';
  const file = readYamlObject(text, folder.named(path));
  const { value, wrong } = file;
  const given = withoutNullMembers(value);
  refuseUnknown(given, FIELDS, file);
  const { type, name, description = '', subject, enabled = false, from = null, dataSchema = [], languages = {} } = given;
  for (const [field, said] of Object.entries({ type, name, subject }))
    if (typeof said !== 'string' || said === '') throw wrong([field], `${field} should be a text`);
  if (typeof description !== 'string') throw wrong(['description'], 'description should be a text');
  if (typeof enabled !== 'boolean') throw wrong(['enabled'], 'enabled should be true or false');
  if (!Array.isArray(dataSchema)) throw wrong(['dataSchema'], 'dataSchema should be a list');
  if (from !== null && !isObject(from)) throw wrong(['from'], 'from should be an object like { email: ann@example.com }');
  if (!isObject(languages)) throw wrong(['languages'], 'languages should be an object by tags like de');
  const files = await readContents(folder, at);
  const ofDefault = files.find(({ locale }) => locale === null);
  if (!ofDefault) throw new Failure(`${folder.named(at)} has no content: write content.yaml, content.json, content.md or content.mjml`);
  const others = files.filter(({ locale }) => locale !== null);
  for (const tag of Object.keys(languages))
    if (!others.some(({ locale }) => locale === tag))
      throw wrong(['languages', tag], `the language ${tag} has no file content.${tag}.yaml, .json, .md or .mjml`);
  return {
    ...{ type: String(type), name: String(name), description, subject: String(subject).trim(), enabled },
    from: from && withoutNullMembers(from),
    dataSchema: dataSchema.map(plainField),
    content: ofDefault.content,
    languages: Object.fromEntries(
      others.map(({ locale, content }) => {
        const said = languages[locale ?? ''];
        const ownSubject = isObject(said) && typeof said.subject === 'string' ? said.subject.trim() : '';
        return [locale ?? '', { subject: ownSubject, content }];
      }),
    ),
  };
}

/** A sample may be null; `required: false` goes without saying. */
export function plainField(field: unknown): Json {
  if (!isObject(field)) return field as Json;
  const { required, ...others } = field;
  return required === true ? { ...others, required } : others;
}

/** The part of a model that stands in template.yaml. */
export function templateHead({ type, name, description, subject, enabled, from, dataSchema, languages }: TemplateModel): JsonObject {
  const tags = Object.keys(languages).sort();
  const shown = Object.fromEntries(tags.map((tag) => [tag, languages[tag]?.subject ? { subject: languages[tag].subject } : {}] as const));
  return {
    ...{ type, name },
    ...(description === '' ? {} : { description }),
    ...{ subject, enabled },
    ...(from === null ? {} : { from }),
    ...(dataSchema.length === 0 ? {} : { dataSchema }),
    ...(tags.length === 0 ? {} : { languages: shown }),
  };
}

/** Makes the files say what the model says, and leaves alone those that do. `format`: of contents that have no file yet. Answers with what was written. */
export async function writeTemplate(
  folder: WorkFolder,
  key: string,
  model: TemplateModel,
  { format, url }: { readonly format: Format; readonly url: string },
): Promise<string[]> {
  const at = templateFolder(key);
  const path = (await headFile(folder, at)) ?? `${at}/template.yaml`;
  const written: string[] = [];
  const put = async (file: string, text: string): Promise<void> => {
    if (await folder.write(file, text)) written.push(file);
  };
  const before = await folder.read(path);
  const head = templateHead(model);
  const schema = `${url}/schemas/template.json`;
  await put(path, before === undefined ? newYamlFile(head, schema) : changedYamlFile(before, head, schema));
  const names = await folder.list(at);
  const kept = new Set<string>();
  const contents: [locale: string | null, content: Content][] = [
    [null, model.content],
    ...Object.entries(model.languages).map(([tag, { content }]): [string, Content] => [tag, content]),
  ];
  for (const [locale, content] of contents) {
    if (locale !== null && !LOCALE.test(locale)) throw new Failure(`${key}: ${locale} is no language`);
    const { name, before: text, ...file } = await fileFor(folder, at, { names, locale, content, format });
    const to = `${at}/${name}`;
    kept.add(name);
    await put(to, contentText(content, file.format, `${url}/schemas/content.json`, text, to));
  }
  // A language that is gone leaves no file, nor does a content that is written otherwise now.
  for (const name of names) {
    if (localeOf(name) === undefined || kept.has(name)) continue;
    await folder.remove(`${at}/${name}`);
    written.push(`${at}/${name}`);
  }
  return written;
}
