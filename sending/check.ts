import type { EntityManager } from '../db/orm.ts';
import { readSendFacts } from '../db/queries/sends/send-facts.ts';
import { Refusal } from '../domain/errors.ts';
import type { Languages } from '../domain/templates/languages.ts';
import type { RegistryEntry } from '../domain/templates/registry-entry.ts';
import { type PlanOfAll, planForAll } from './plan.ts';

/** What mails by a template would be, as things stand. */
export interface CheckedTemplate {
  readonly brand: string;
  /** Liquid: the project's for this template, else the template's own. */
  readonly subject: string;
  readonly publishedVersion: number | null;
  readonly languages: Languages;
}

/** Mails by one template of one brand. */
interface TemplateUse {
  readonly template: string;
  /** undefined: the registry has none for this project. */
  readonly entry: RegistryEntry | undefined;
  readonly brand: string | undefined;
}

/** Whether mails by this template can be made for a project and brand. Throws the Refusal of a single mail: docs/contract/sends.md 3. */
export async function checkTemplate(
  em: EntityManager,
  { projectId, entry, brand }: { readonly projectId: string; readonly entry: RegistryEntry; readonly brand: string | undefined },
): Promise<CheckedTemplate> {
  const [plan] = (await plansOf(em, projectId, [{ template: entry.key, entry, brand }])) as [() => PlanOfAll];
  const { brand: of, subject, publishedVersion, languages } = plan();
  return { brand: of.slug, subject, publishedVersion, languages };
}

/** For each use why its mails cannot be made, as a single mail would be told; undefined where they can. */
export async function templateProblems(
  em: EntityManager,
  projectId: string,
  uses: readonly TemplateUse[],
): Promise<(Refusal | undefined)[]> {
  return (await plansOf(em, projectId, uses)).map((plan) => {
    try {
      plan();
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  });
}

async function plansOf(em: EntityManager, projectId: string, uses: readonly TemplateUse[]): Promise<(() => PlanOfAll)[]> {
  // Nobody has this address: what is asked for is the setting that all recipients share.
  const shared = { projectId, recipient: { email: '' }, identity: { by: 'nothing' } } as const;
  const facts = await readSendFacts(
    em,
    uses.map(({ template, brand }) => ({ ...shared, template, brand })),
  );
  return uses.map(({ template, entry, brand }, index) => {
    const unset = { type: undefined, subject: undefined, event: undefined, from: undefined, sourceId: null };
    const request = { projectId, template, entry, brand, data: {}, ...unset };
    return () => planForAll(request, facts[index]?.setting);
  });
}
