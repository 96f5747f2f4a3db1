import type { EntityManager } from '../../db/orm.ts';
import { listLanguages } from '../../db/queries/templates/languages.ts';
import { publicationOf } from '../../db/queries/templates/template-versions.ts';
import {
  type BrandTemplate,
  insertTemplateVersion,
  lockTemplateVersions,
  type NewTemplateVersion,
} from '../../db/queries/templates/templates.ts';
import { Refusal, refuseStale } from '../../domain/errors.ts';
import { DEFAULT_LANGUAGE, MOST_LANGUAGES } from '../../domain/templates/languages.ts';
import { type RegistryEntry, shippedLanguages } from '../../domain/templates/registry-entry.ts';
import { holdTemplate } from './hold-template.ts';

export interface SavedVersion extends Omit<NewTemplateVersion, 'shippedSubject'> {
  /** The template that it is a version of. */
  readonly entry: Pick<RegistryEntry, 'languages'>;
  /** The latest version that the caller has seen; undefined: whichever it is. */
  readonly ifVersion?: number | undefined;
}

/** What counts every save, and what counts those that published: undefined of a draft. */
export interface SavedNumbers {
  readonly version: number;
  readonly publication: number | undefined;
}

/**
 * Saves content under the next number. Of two calls at once one waits for the other, so both get a number and the later
 * one wins, unless it was made from an earlier version: `version_conflict`. Running work keeps the published version that it has pinned.
 * Throws the 404 of a template that was deleted meanwhile.
 */
export async function saveTemplateVersion(
  em: EntityManager,
  at: BrandTemplate,
  { ifVersion, entry, ...saved }: SavedVersion,
): Promise<SavedNumbers> {
  return em.transactional(async (tx) => {
    await holdTemplate(tx, at);
    const { ofAll, ofLanguage } = await lockTemplateVersions(tx, at);
    refuseStale('content', ofLanguage, ifVersion);
    await refuseOneTooMany(tx, at, ofLanguage);
    const version = ofAll + 1;
    await insertTemplateVersion(tx, at, { ...saved, version, shippedSubject: await shippedSubject(tx, at, entry) });
    return { version, publication: saved.publish ? await publicationOf(tx, at, version) : undefined };
  });
}

/** That which mails in its language have while nothing of it is published. */
async function shippedSubject(tx: EntityManager, at: BrandTemplate, entry: SavedVersion['entry']): Promise<string | undefined> {
  if (at.locale === undefined || !entry.languages?.[at.locale]) return undefined;
  const ofDefault = (await listLanguages(tx, at)).find(({ locale }) => locale === DEFAULT_LANGUAGE);
  return shippedLanguages(entry, ofDefault?.published?.version ?? null)[at.locale]?.subject;
}

async function refuseOneTooMany(tx: EntityManager, at: BrandTemplate, ofLanguage: number): Promise<void> {
  if (at.locale === undefined || ofLanguage > 0) return;
  if ((await listLanguages(tx, at)).filter(({ locale }) => locale !== DEFAULT_LANGUAGE).length >= MOST_LANGUAGES)
    throw new Refusal('too_many_languages', `a template has at most ${MOST_LANGUAGES} languages; delete unused ones`);
}
