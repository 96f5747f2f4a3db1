import type { EntityManager } from '../db/orm.ts';
import { readSendFacts } from '../db/queries/send-facts.ts';
import type { RegistryEntry } from '../domain/template/registry-entry.ts';
import { planForAll } from './plan.ts';

/** What mails by a template would be, as things stand. */
export interface CheckedTemplate {
  readonly brand: string;
  /** Liquid: the project's for this template, else the template's own. */
  readonly subject: string;
  readonly publishedVersion: number | null;
}

/** Whether mails by this template can be made for a project and brand. Throws the Refusal of a single mail: decisions.md 4.2. */
export async function checkTemplate(
  em: EntityManager,
  { projectId, entry, brand }: { readonly projectId: string; readonly entry: RegistryEntry; readonly brand: string | undefined },
): Promise<CheckedTemplate> {
  const template = entry.key;
  // Nobody has this address: what is asked for is the setting that all recipients share.
  const query = { projectId, template, brand, recipient: { email: '' }, identity: { by: 'nothing' } } as const;
  const [facts] = await readSendFacts(em, [query]);
  const request = {
    projectId,
    template,
    entry,
    brand,
    type: undefined,
    subject: undefined,
    data: {},
    event: undefined,
    from: undefined,
    sourceId: null,
  };
  const plan = planForAll(request, facts?.setting);
  return { brand: plan.brand.slug, subject: plan.subject, publishedVersion: plan.publishedVersion };
}
