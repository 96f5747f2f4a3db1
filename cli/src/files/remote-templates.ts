import type { Answered, Api } from '../api.ts';
import { isEqual, withoutNulls } from './canonical.ts';
import type { Content } from './markdown-content.ts';
import { type LanguageModel, plainField, type TemplateModel } from './template-files.ts';

/** A template as the server has it, with what a change of it needs to know. */
export interface RemoteTemplate {
  readonly model: TemplateModel;
  /** Made by the project; the others belong to the installation, which says what they are called and which data they expect. */
  readonly isOwn: boolean;
  /** By language, `''` for the default: the version that a change is made from. */
  readonly versions: Readonly<Record<string, number>>;
  readonly schemaVersion: number;
  /** Languages with a draft that is not published, `''` for the default. */
  readonly drafts: readonly string[];
  /** Languages that it ships with and that are published nowhere: they are said no more once a default is published. */
  readonly shippedOnly: readonly string[];
}

/** A template in the list of the server. */
export interface ListedTemplate {
  readonly key: string;
  readonly own: boolean;
  /** Whether the brand has set anything of it. */
  readonly isSet: boolean;
  readonly record: Answered;
}

export async function listTemplates(api: Api, brand: string | undefined): Promise<ListedTemplate[]> {
  const { templates } = await api.call('templates.list', { query: { brand } });
  return templates.map((record: Answered) => ({
    ...{ key: record.key, own: record.own, record },
    isSet: record.enabled || record.subject !== '' || record.from !== null,
  }));
}

/** Whether the brand has published a content of its own. */
export async function isPublished(api: Api, key: string, brand: string | undefined): Promise<boolean> {
  return (await api.call('templates.content', { path: [key], query: { brand } })).published !== undefined;
}

/** Reads all of one template. */
export async function readRemoteTemplate(
  api: Api,
  { key, own, record }: ListedTemplate,
  brand: string | undefined,
): Promise<RemoteTemplate> {
  const at = { path: [key], query: { brand } };
  const [schema, content, { languages }] = await Promise.all([
    api.call('templates.schema', at),
    api.call('templates.content', at),
    api.call('templates.languages', at),
  ]);
  const models: Record<string, LanguageModel> = {};
  const versions: Record<string, number> = { '': higher(content) };
  const drafts = content.draft ? [''] : [];
  const shippedOnly: string[] = [];
  for (const { locale, published, draft, ships } of languages) {
    if (locale === null) continue;
    if (draft) drafts.push(locale);
    const isShipped = published === null && ships && content.published === undefined;
    const said =
      published !== null || isShipped || draft ? await api.call('templates.content', { path: [key], query: { brand, locale } }) : undefined;
    if (said) versions[locale] = higher(said);
    if (isShipped) shippedOnly.push(locale);
    if (published !== null || isShipped)
      models[locale] = {
        subject: published?.subject ?? '',
        content: plainContent(said?.published?.content ?? said?.defaultContent),
      };
  }
  return {
    model: {
      ...{ type: record.type, name: record.name, description: record.description, enabled: record.enabled, from: record.from },
      subject: record.subject || schema.subject,
      dataSchema: schema.declared.map(plainField),
      content: plainContent(content.published?.content ?? content.defaultContent),
      languages: models,
    },
    ...{ isOwn: own, versions, schemaVersion: schema.version, drafts, shippedOnly },
  };
}

function higher({ draft, published }: Answered): number {
  return Math.max(draft?.version ?? 0, published?.version ?? 0);
}

function plainContent(content: Answered): Content {
  return withoutNulls(content);
}

/** What a push calls, in order; `said` is one line about it. */
export interface Step {
  readonly said: string;
  /** The language whose draft is gone with it, `''` for the default. */
  readonly drops?: string;
  run(): Promise<Answered>;
}

/** The calls that make the server have what the files say. `prune`: languages that have no file are taken away. */
export function pushSteps(
  api: Api,
  key: string,
  local: TemplateModel,
  remote: RemoteTemplate | undefined,
  { brand, prune }: { readonly brand: string | undefined; readonly prune: boolean },
): Step[] {
  const steps: Step[] = [];
  const step = (said: string, run: Step['run'], drops?: string): void =>
    void steps.push({ said, run, ...(drops !== undefined && { drops }) });
  const query = { brand };
  const { type, name, description, subject, dataSchema, content, enabled, from, languages } = local;
  const saveLanguage = (tag: string, language: LanguageModel, ifVersion: number): void =>
    step(
      `publish ${tag}`,
      () =>
        api.call('templates.saveContent', {
          path: [key],
          query: { ...query, locale: tag, ifVersion },
          body: { content: language.content, subject: language.subject, publish: true },
        }),
      tag,
    );
  if (!remote) {
    step('make the template', () => api.call('templates.create', { body: { key, type, name, description, subject, dataSchema, content } }));
    for (const [tag, language] of Object.entries(languages)) saveLanguage(tag, language, 0);
    if (enabled || from)
      step(enabled ? 'turn it on' : 'set its sender', () => api.call('templates.enable', { path: [key], query, body: { enabled, from } }));
    return steps;
  }
  const was = remote.model;
  if (was.name !== name || was.description !== description)
    step('rename it', () => api.call('templates.update', { path: [key], body: { name, description } }));
  if (!isEqual(was.dataSchema, dataSchema))
    step('declare its data', () =>
      api.call('templates.replaceSchema', { path: [key], query: { ifVersion: remote.schemaVersion }, body: { dataSchema } }),
    );
  const publishes = !isEqual(was.content, content);
  // A shipped language is said only as long as no default is published.
  for (const [tag, language] of Object.entries(languages)) {
    const isKept = isEqual(was.languages[tag], language) && !(publishes && remote.shippedOnly.includes(tag));
    if (!isKept) saveLanguage(tag, language, remote.versions[tag] ?? 0);
  }
  if (publishes)
    step(
      'publish the content',
      () =>
        api.call('templates.saveContent', {
          path: [key],
          query: { ...query, ifVersion: remote.versions[''] ?? 0 },
          body: { content, subject, publish: true },
        }),
      '',
    );
  const sets = (was.subject !== subject && !publishes) || was.enabled !== enabled || !isEqual(was.from, from);
  if (sets)
    step(was.enabled === enabled ? 'set subject and sender' : enabled ? 'turn it on' : 'turn it off', () =>
      api.call('templates.enable', {
        path: [key],
        query,
        body: { enabled, from, ...(was.subject === subject ? {} : { defaultSubject: subject }) },
      }),
    );
  if (prune)
    for (const tag of Object.keys(was.languages))
      if (!(tag in languages) && !remote.shippedOnly.includes(tag))
        step(`take ${tag} away`, () => api.call('templates.deleteLanguage', { path: [key, tag], query }), tag);
  return steps;
}

/** Why these files cannot be pushed; undefined where they can. */
export function whyNotPushed(local: TemplateModel, remote: RemoteTemplate | undefined): string | undefined {
  if (!remote) return undefined;
  const was = remote.model;
  if (was.type !== local.type) return `its type is ${was.type} on the server, and no call changes that; take another key`;
  if (remote.isOwn) return undefined;
  if (was.name !== local.name || was.description !== local.description || !isEqual(was.dataSchema, local.dataSchema))
    return 'it belongs to the installation, which says its name, description and data; change the rest, or take another key';
  return undefined;
}
