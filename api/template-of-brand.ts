import type { BrandRow } from '../db/entities/index.ts';
import type { BrandTemplate } from '../db/queries/templates/templates.ts';
import { type Issue, MAX_ISSUES, Refusal } from '../domain/errors.ts';
import type { Content } from '../domain/templates/content.ts';
import type { RegistryEntry } from '../domain/templates/registry-entry.ts';
import { mailScope, spellingWarnings } from '../domain/templates/variable-spelling.ts';
import type { Authoring } from '../sending/compose/authoring.ts';
import type { KeyContext } from './route.ts';

/** The entry of a template route's key; 404 when there is none for this project. */
export async function entryOf({ em, registry, project }: KeyContext, key: string): Promise<RegistryEntry> {
  const entry = await registry.find(em, project, key);
  if (!entry) throw new Refusal('unknown_template', await registry.noSuchTemplate(em, project, key), { status: 404 });
  return entry;
}

/** Where a brand's version of a template is stored; `locale` undefined and null: the default. */
export function addressOf(entry: RegistryEntry, brand: BrandRow, locale?: string | null): BrandTemplate {
  return { projectId: brand.project_id, brand: brand.slug, template: entry.key, ownId: entry.own?.id, locale: locale ?? undefined };
}

/** The unsubscribe link of a mail that is only shown: it leads nowhere. None where such a mail has none. */
export function deadUnsubscribeUrl(publicUrl: string, type: RegistryEntry['type']): string | undefined {
  return type === 'marketing' ? `${publicUrl}/api/v1/unsubscribe?c=preview&t=preview` : undefined;
}

/** What authoring says, or a 422 `invalid_content` that names every field that cannot be compiled, after what else was found. */
export function unlessInvalid<T extends object>(authored: T | { readonly issues: readonly Issue[] }, found: readonly Issue[] = []): T {
  const issues = 'issues' in authored ? [...found, ...authored.issues] : found;
  if ('issues' in authored || issues.length > 0) throw invalidContent(issues.slice(0, MAX_ISSUES));
  return authored;
}

/** A text of Liquid and what the caller calls it; nothing is said of one that is empty or missing. */
export interface LiquidField {
  readonly path: string;
  readonly text: string | null | undefined;
}

/** Refuses texts whose Liquid does not parse, each by its path. */
export async function refuseFaultyLiquid(
  authoring: Pick<Authoring, 'liquidFaults'>,
  author: string,
  fields: readonly LiquidField[],
): Promise<void> {
  const issues = await liquidIssues(authoring, author, fields);
  if (issues.length > 0) throw invalidContent(issues);
}

/** Those whose Liquid does not parse, each by its path. */
export async function liquidIssues(
  authoring: Pick<Authoring, 'liquidFaults'>,
  author: string,
  fields: readonly LiquidField[],
): Promise<Issue[]> {
  const given = fields.flatMap(({ path, text }) => (text ? [{ path, text }] : []));
  const faults = await authoring.liquidFaults(
    given.map(({ text }) => text),
    author,
  );
  return given.flatMap(({ path }, index) => (faults[index] === undefined ? [] : [{ path, message: faults[index] }]));
}

/** Variables that no mail has a value for. What takes too long to be read has none that are told. */
export async function spellingIn(
  { authoring, project }: Pick<KeyContext, 'authoring' | 'project'>,
  { type, dataSchema: declared }: Pick<RegistryEntry, 'type' | 'dataSchema'>,
  written: { readonly subject: string; readonly content: Content },
  at: string,
): Promise<Issue[]> {
  const read = await authoring.schema({ type, dataSchema: declared, ...written }, project.id);
  if ('issues' in read) return [];
  const undeclared = read.dataSchema.map(({ path }) => path).filter((path) => !declared.some((field) => field.path === path));
  return spellingWarnings([...read.systemVars, ...undeclared], at, mailScope(declared));
}

function invalidContent(issues: readonly Issue[]): Refusal {
  const [first] = issues;
  return new Refusal('invalid_content', first ? `${first.path}: ${first.message}` : 'the content is not valid', { body: { issues } });
}
