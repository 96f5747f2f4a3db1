import type { EntityManager } from '../../db/orm.ts';
import { listLanguages } from '../../db/queries/templates/languages.ts';
import { type BrandTemplate, findTemplateVersions } from '../../db/queries/templates/templates.ts';
import { notFound } from '../../domain/errors.ts';
import { DEFAULT_LANGUAGE, languageFor } from '../../domain/templates/languages.ts';
import { entryId, type RegistryEntry, shippedLanguages } from '../../domain/templates/registry-entry.ts';
import type { MailRequest } from '../../sending/request.ts';

/** Which version is to be shown. */
export interface ShowAsked {
  readonly version: 'draft' | 'published' | null | undefined;
  /** Asked for by name. */
  readonly locale: string | null | undefined;
  /** That of whom it is for. */
  readonly reader: string | null | undefined;
}

/** What is rendered of a template that is saved. `subject`: what stands in place of the one that is set; `locale`: the language that it is in. */
export interface VersionShown extends Pick<RegistryEntry, 'content' | 'compiled'> {
  /** undefined: as the template ships. */
  readonly version?: number;
  readonly subject: string | undefined;
  readonly locale: string | undefined;
}

/**
 * docs/contract/templates.md 19: the draft of the language that is asked for, else what a send in it would use. Where none is asked for by name, that of the
 * contact is as published.
 */
export async function versionToShow(
  em: EntityManager,
  at: BrandTemplate,
  entry: RegistryEntry,
  { version: wanted, locale, reader }: ShowAsked,
): Promise<VersionShown> {
  const languages = await listLanguages(em, at);
  const has = (tag: string) => languages.find((each) => each.locale === tag);
  const published = Object.fromEntries(
    languages.flatMap(({ locale: tag, published: state }) => (tag !== DEFAULT_LANGUAGE && state ? [[tag, state]] : [])),
  );
  const shipped = shippedLanguages(entry, has(DEFAULT_LANGUAGE)?.published?.version ?? null);
  if (locale && has(locale)?.draft && wanted !== 'published') return draftOf(em, { ...at, locale }, shipped[locale]?.subject);
  const language = languageFor(locale ?? reader, { ...shipped, ...published });
  if (language !== undefined && published[language]) return publishedOf(em, { ...at, locale: language });
  if (language !== undefined && shipped[language]) return { ...shipped[language], locale: language };
  const ofDefault = await findTemplateVersions(em, at);
  // A draft of the default stands for no other language.
  const draft = wanted === 'published' ? undefined : ofDefault.draft;
  const shown = draft ?? ofDefault.published;
  if (!shown) return { content: entry.content, compiled: entry.compiled, subject: undefined, locale: undefined };
  return {
    ...shown,
    subject: draft ? (draft.subject === '' ? entry.subject : (draft.subject ?? undefined)) : undefined,
    locale: undefined,
  };
}

/** Without a subject of its own it has the one that publishing it would leave. */
async function draftOf(em: EntityManager, at: BrandTemplate, shippedSubject: string | undefined): Promise<VersionShown> {
  const { draft, published } = await findTemplateVersions(em, at);
  if (!draft) return notFound('version');
  const subject = draft.subject ?? published?.subject ?? shippedSubject;
  return { ...draft, subject: subject || undefined, locale: at.locale };
}

async function publishedOf(em: EntityManager, at: BrandTemplate): Promise<VersionShown> {
  const { published } = await findTemplateVersions(em, at);
  if (!published) return notFound('version');
  return { ...published, subject: published.subject || undefined, locale: at.locale };
}

/** A mail that says it. */
export function mailOf(
  at: BrandTemplate,
  entry: RegistryEntry,
  { version, locale, content, compiled, subject }: VersionShown,
): Required<Pick<MailRequest, 'content' | 'contentLocale' | 'subject'>> {
  const id = version === undefined ? entryId(entry, locale) : JSON.stringify([at, version]);
  return { content: { id, content, compiled }, contentLocale: locale, subject };
}
