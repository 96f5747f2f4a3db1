import { type Answered, type Api, ApiFailure } from '../api.ts';
import { isEqual, withoutNulls } from './canonical.ts';
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
  /** Whether the brand has published a default of its own. */
  readonly isPublished: boolean;
}

/** A template in the list of the server. */
export interface ListedTemplate {
  readonly key: string;
  /** Whether the project has made it, or its brand has set anything of it. */
  readonly isOwnOrSet: boolean;
}

export async function listTemplates(api: Api, brand: string | undefined): Promise<ListedTemplate[]> {
  const { templates } = await api.call('templates.list', { query: { brand } });
  return templates.map((record: Answered) => ({
    key: record.key,
    isOwnOrSet: record.own || record.enabled || record.subject !== '' || record.from !== null,
  }));
}

/** Reads all of one template; undefined where there is none. */
export async function readRemoteTemplate(api: Api, key: string, brand: string | undefined): Promise<RemoteTemplate | undefined> {
  const source = await api.call('templates.source', { path: [key], query: { brand } }).catch((error: unknown) => {
    if (error instanceof ApiFailure && error.code === 'unknown_template') return undefined;
    throw error;
  });
  if (!source) return undefined;
  const { type, name, description, enabled, from, subject, own, schemaVersion } = source;
  const languages: readonly Answered[] = source.languages;
  const tagOf = ({ locale }: Answered): string => locale ?? '';
  const [ofDefault] = languages;
  const others = languages.slice(1).filter(({ content }) => content !== null);
  return {
    model: {
      ...{ type, name, description, enabled, from, subject },
      dataSchema: source.dataSchema.map(plainField),
      content: withoutNulls(ofDefault.content),
      languages: Object.fromEntries(others.map((one) => [tagOf(one), { subject: one.subject, content: withoutNulls(one.content) }])),
    },
    ...{ isOwn: own, schemaVersion, isPublished: ofDefault.published },
    versions: Object.fromEntries(languages.map((one) => [tagOf(one), one.version])),
    drafts: languages.filter(({ draft }) => draft).map(tagOf),
    shippedOnly: others.filter(({ published }) => !published).map(tagOf),
  };
}

/** Languages that are checked by one call, so that no body is too large. */
const CHECKED_TOGETHER = 10;

/** Why the server would refuse what these files change; undefined where it would not. Nothing is written. */
export async function whyRefused(
  api: Api,
  key: string,
  local: TemplateModel,
  remote: RemoteTemplate | undefined,
): Promise<ApiFailure | undefined> {
  const was = remote?.model;
  const { type, name, description, subject, dataSchema, content, from } = local;
  const changed = Object.entries(local.languages).filter(([tag, language]) => !isEqual(was?.languages[tag], language));
  const head = {
    ...{ type, name, subject },
    // Those of the installation are not pushed, and may be longer.
    ...(remote?.isOwn === false ? {} : { description, dataSchema }),
    ...(isEqual(was?.content, content) ? {} : { content }),
    ...(isEqual(was?.from, from) ? {} : { from }),
  };
  for (let at = 0; at === 0 || at < changed.length; at += CHECKED_TOGETHER) {
    const languages = Object.fromEntries(changed.slice(at, at + CHECKED_TOGETHER));
    try {
      await api.call('templates.check', { path: [key], body: { ...head, languages } });
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status === undefined || error.status >= 500) throw error;
      return error;
    }
  }
  return undefined;
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
        body: {
          enabled,
          ...(isEqual(was.from, from) ? {} : { from }),
          ...(was.subject === subject ? {} : { defaultSubject: subject }),
        },
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
