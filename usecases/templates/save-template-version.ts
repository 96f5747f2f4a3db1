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
import { holdTemplate } from './hold-template.ts';

export interface SavedVersion extends NewTemplateVersion {
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
  { ifVersion, ...saved }: SavedVersion,
): Promise<SavedNumbers> {
  return em.transactional(async (tx) => {
    await holdTemplate(tx, at);
    const { ofAll, ofLanguage } = await lockTemplateVersions(tx, at);
    refuseStale('content', ofLanguage, ifVersion);
    await refuseOneTooMany(tx, at, ofLanguage);
    const version = ofAll + 1;
    await insertTemplateVersion(tx, at, { ...saved, version });
    return { version, publication: saved.publish ? await publicationOf(tx, at, version) : undefined };
  });
}

async function refuseOneTooMany(tx: EntityManager, at: BrandTemplate, ofLanguage: number): Promise<void> {
  if (at.locale === undefined || ofLanguage > 0) return;
  if ((await listLanguages(tx, at)).filter(({ locale }) => locale !== DEFAULT_LANGUAGE).length >= MOST_LANGUAGES)
    throw new Refusal('too_many_languages', `a template has at most ${MOST_LANGUAGES} languages; delete unused ones`);
}
