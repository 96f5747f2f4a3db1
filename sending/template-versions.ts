import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../db/orm.ts';
import { type BrandTemplate, findPublished } from '../db/queries/templates/templates.ts';
import { entryId, type RegistryEntry, type ShippedLanguage } from '../domain/templates/registry-entry.ts';
import type { ComposeTemplate } from './compose/compose-request.ts';

/** What renders: a published version, or the registry's own content where there is none. */
export type FindTemplate = (
  entry: RegistryEntry,
  at: Omit<BrandTemplate, 'template'>,
  version: number | null,
  /** Of the registry's own content. */
  locale: string | undefined,
) => Promise<ComposeTemplate>;

const KEPT_BYTES = 32 * 1024 * 1024;

/** Published versions by number; one never changes, so what was once read stays right. */
export function createPublished(em: EntityManager): FindTemplate {
  const known = new LRUCache<string, ComposeTemplate>({ maxSize: KEPT_BYTES });
  const shipped = new WeakMap<ShippedLanguage, ComposeTemplate>();
  /** What many mails ask for at the same time is read for the first of them, and is the very same object for all. */
  const underWay = new Map<string, Promise<ComposeTemplate>>();

  const ofRegistry = (entry: RegistryEntry, locale?: string): ComposeTemplate => {
    const language = locale === undefined ? undefined : entry.languages?.[locale];
    const { content, compiled } = language ?? entry;
    let template = shipped.get(language ?? entry);
    if (!template) {
      template = { id: entryId(entry, language && locale), content, compiled };
      shipped.set(language ?? entry, template);
    }
    return template;
  };

  const read = async (id: string, entry: RegistryEntry, at: Omit<BrandTemplate, 'template'>, version: number): Promise<ComposeTemplate> => {
    const published = await findPublished(em, { ...at, template: entry.key }, version);
    if (!published) return ofRegistry(entry);
    const template = { id, ...published };
    // Two bytes a character at most.
    known.set(id, template, { size: JSON.stringify(template).length * 2 });
    return template;
  };

  return async (entry, at, version, locale) => {
    if (version === null) return ofRegistry(entry, locale);
    const id = JSON.stringify([at.projectId, at.brand, entryId(entry), version]);
    const found = known.get(id);
    if (found) return found;
    const reading = underWay.get(id) ?? read(id, entry, at, version).finally(() => underWay.delete(id));
    underWay.set(id, reading);
    return reading;
  };
}
