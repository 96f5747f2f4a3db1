import type { EntityManager } from '../../db/orm.ts';
import { publicationOf } from '../../db/queries/templates/template-versions.ts';
import {
  type BrandTemplate,
  insertTemplateVersion,
  lockTemplateVersions,
  type NewTemplateVersion,
} from '../../db/queries/templates/templates.ts';
import { refuseStale } from '../../domain/errors.ts';
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
    const before = await lockTemplateVersions(tx, at);
    refuseStale('content', before, ifVersion);
    const version = before + 1;
    await insertTemplateVersion(tx, at, { ...saved, version });
    return { version, publication: saved.publish ? await publicationOf(tx, at, version) : undefined };
  });
}
