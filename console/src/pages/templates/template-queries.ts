import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';

/** Where its pages lead back to. */
export const TEMPLATE_LIST = { to: '/', label: 'Templates' };

/** The form for a new one. Keys have no such character: `new` may be the key of a template. */
export const NEW_TEMPLATE = '/~new';

/** The page of a template as a brand has it, in one of its languages; below the section. The project's default brand and the default language unless told. */
export function templateHref(key: string, brand?: string | null, locale?: string | null): string {
  const asked = new URLSearchParams({ ...(brand ? { brand } : {}), ...(locale ? { locale } : {}) }).toString();
  return `/${encodeURIComponent(key)}${asked && `?${asked}`}`;
}

/** The form for a copy of that one, as a brand has it; below the section. */
export function duplicateOf(key: string, brand?: string): string {
  return `${NEW_TEMPLATE}?${new URLSearchParams({ [COPIED]: key, ...(brand ? { brand } : {}) })}`;
}

/** In the address of the form: the key of what is copied. */
export const COPIED = 'from';

export type Template = Schemas['Template'];
export type TemplateContent = Schemas['TemplateContent'];
export type Block = Schemas['TemplateBlocks']['blocks'][number];
export type BlockType = Block['type'];
export type Version = Schemas['ListedTemplateVersion'];
export type NewTemplateInput = Schemas['NewTemplateInput'];
export type TemplateField = Schemas['TemplateField'];
/** What a template takes and declares. */
export type TemplateSchema = Awaited<ReturnType<typeof readSchema>>;
/** What a mail is made with. */
export type MailData = NonNullable<Schemas['TemplatePreviewInput']['data']>;

/** All template queries begin with it. */
export const TEMPLATES = ['templates'] as const;

/** `brand`: its slug; undefined: the project's default. */
export function templatesQuery(brand?: string) {
  return queryOptions({
    queryKey: [...TEMPLATES, 'list', brand],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/templates', { params: { query: brand ? { brand } : {} }, signal }))).templates,
  });
}

function readSchema(key: string, brand: string | undefined, signal: AbortSignal) {
  return answerOf(api.GET('/templates/{key}/schema', { params: { path: { key }, query: brand ? { brand } : {} }, signal }));
}

export function templateSchemaQuery(key: string, brand?: string) {
  return queryOptions({
    queryKey: [...TEMPLATES, key, 'schema', brand],
    queryFn: ({ signal }) => readSchema(key, brand, signal),
  });
}

/** Whom a preview is for while no contact is chosen. */
export const SAMPLE_CONTACT = { firstName: 'Ada', lastName: 'Lovelace', displayName: 'Ada Lovelace', email: 'ada@example.com' } as const;

/** Whom previews and test mails show, as the API takes it. */
export function shownContact(contactId: string | undefined) {
  return contactId ? { contactId } : { contact: SAMPLE_CONTACT };
}

interface PreviewOf {
  /** A contact of the project; the sample when omitted. */
  readonly contactId?: string | undefined;
  /** Somebody made up, in place of the sample. */
  readonly contact?: Schemas['TemplatePreviewInput']['contact'];
  readonly data: MailData;
  readonly brand?: string | undefined;
  /** What is stored when omitted. */
  readonly content?: TemplateContent;
  /** The HTML says where each of its blocks is. */
  readonly marks?: boolean;
  /** Liquid; the brand's or the template's own when omitted. */
  readonly subject?: string | undefined;
  /** Of what is stored; the draft first when omitted. */
  readonly version?: NonNullable<Schemas['TemplatePreviewInput']['version']>;
  /** Of what is stored; that of the contact when omitted. */
  readonly locale?: string | undefined;
}

/** A mail as it would be, with what is to be known about it. */
export type Preview = Awaited<ReturnType<typeof renderPreview>>;

function renderPreview(key: string, of: PreviewOf, signal: AbortSignal) {
  const { data, contactId, contact, brand, content, marks, subject, version, locale } = of;
  return answerOf(
    api.POST('/templates/{key}/preview', {
      params: { path: { key } },
      body: {
        data,
        ...(contact ? { contact } : shownContact(contactId)),
        ...(brand ? { brand } : {}),
        ...(content ? { content } : {}),
        ...(marks ? { marks } : {}),
        ...(subject ? { subject } : {}),
        ...(version ? { version } : {}),
        ...(locale ? { locale } : {}),
      },
      signal,
    }),
  );
}

export function templatePreviewQuery(key: string, of: PreviewOf) {
  return queryOptions({
    queryKey: [...TEMPLATES, key, 'preview', of],
    queryFn: ({ signal }) => renderPreview(key, of, signal),
    placeholderData: keepPreviousData,
  });
}

export type StoredContent = Awaited<ReturnType<typeof readContent>>;

/** Of which brand and in which language a template is; undefined: the project's default brand, and the default language. */
export interface Edition {
  readonly brand: string | undefined;
  readonly locale: string | undefined;
}

/** Asks for the default by name, where the language of a contact would be taken else: it is the tag of no language. */
const NO_LANGUAGE = 'und';

/** The language of an edition as previews and test mails take it. */
export function askedLanguage({ locale = NO_LANGUAGE }: Pick<Edition, 'locale'>): string {
  return locale;
}

function editionQuery({ brand, locale }: Edition): { brand?: string; locale?: string } {
  return { ...(brand ? { brand } : {}), ...(locale ? { locale } : {}) };
}

export function readContent(key: string, edition: Edition, signal?: AbortSignal) {
  const params = { path: { key }, query: editionQuery(edition) };
  return answerOf(api.GET('/templates/{key}/content', { params, ...(signal ? { signal } : {}) }));
}

/** As it ships, the draft, and what is published. */
export function templateContentQuery(key: string, edition: Edition) {
  return queryOptions({
    queryKey: [...TEMPLATES, key, 'content', edition],
    queryFn: ({ signal }) => readContent(key, edition, signal),
    // Read anew for each visit, and not while it is edited.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

const VERSIONS_A_PAGE = 50;

/** The versions that a brand has saved, latest first, and what was there before them. */
export function templateVersionsQuery(key: string, edition: Edition) {
  return infiniteQueryOptions({
    queryKey: [...TEMPLATES, key, 'versions', edition],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: VERSIONS_A_PAGE, ...editionQuery(edition), ...(pageParam === undefined ? {} : { before: pageParam }) };
      return answerOf(api.GET('/templates/{key}/versions', { params: { path: { key }, query }, signal }));
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ versions }) => (versions.length === VERSIONS_A_PAGE ? versions.at(-1)?.version : undefined),
    staleTime: 0,
  });
}

/** One of them with its content, which never changes. */
export function templateVersionQuery(key: string, version: number, edition: Edition) {
  return queryOptions({
    queryKey: [...TEMPLATES, key, 'version', version, edition],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/templates/{key}/versions/{version}', { params: { path: { key, version }, query: editionQuery(edition) }, signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A content of either kind: what it lacks is empty, and of blocks `mjml` undefined. */
export function partsOf(content: TemplateContent): {
  readonly preheader: string;
  readonly blocks: readonly Block[];
  readonly mjml: string | undefined;
} {
  if ('mjml' in content) return { preheader: '', blocks: [], mjml: content.mjml };
  return { preheader: content.preheader ?? '', blocks: content.blocks, mjml: undefined };
}

/** What is changed when it is edited: the draft before what is published, and that before what ships. */
export function shownOf({ draft, published, defaultContent }: StoredContent): TemplateContent {
  return (draft ?? published)?.content ?? defaultContent;
}

/** What mails say. */
export function sentContent({ published, defaultContent }: StoredContent): TemplateContent {
  return published?.content ?? defaultContent;
}

/** What a template's subject is while a version says nothing else. */
export interface Subjects {
  /** By the brand; '' for none. */
  readonly set: string;
  /** The template's; of a language that of the default. */
  readonly own: string;
}

/** The subject of mails. */
export function sentSubject({ published }: StoredContent, { set, own }: Subjects): string {
  return (published ? published.subject : set) || own;
}

/** The subject that is edited: the draft's before that of mails. */
export function shownSubject(stored: StoredContent, subjects: Subjects): string {
  const drafted = stored.draft?.subject;
  return drafted === undefined ? sentSubject(stored, subjects) : drafted || subjects.own;
}

/** Which versions there are, 0 for none: when others are, somebody has saved. */
export interface Versions {
  readonly draft: number;
  readonly published: number;
}

export function versionsOf({ draft, published }: StoredContent): Versions {
  return { draft: draft?.version ?? 0, published: published?.version ?? 0 };
}

/** Nothing was saved: somebody else has meanwhile. */
export class SavedMeanwhile extends Error {
  readonly theirs: StoredContent;

  constructor(theirs: StoredContent) {
    super('someone else saved this template');
    this.theirs = theirs;
  }
}

interface Saved {
  readonly content: TemplateContent;
  /** undefined: the one that is set stays. '' for the template's own. */
  readonly subject: string | undefined;
  readonly publish: boolean;
  /** What it was made from. */
  readonly base: Versions;
}

/** Saves a content unless something else is stored than it was made from. Throws SavedMeanwhile, and Failure. */
export async function saveContent(key: string, edition: Edition, { content, subject, publish, base }: Saved) {
  const query = { ifVersion: Math.max(base.draft, base.published) };
  const body = { content, publish, ...(subject === undefined ? {} : { subject }), ...editionQuery(edition) };
  try {
    return await answerOf(api.PUT('/templates/{key}/content', { params: { path: { key }, query }, body }));
  } catch (error) {
    if (asFailure(error).details.code !== 'version_conflict') throw error;
    throw new SavedMeanwhile(await readContent(key, edition));
  }
}
