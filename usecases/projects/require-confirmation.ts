import type { EntityManager } from '../../db/orm.ts';
import { findBrand } from '../../db/queries/projects/brands.ts';
import { findTemplateSetting, findTemplateVersions } from '../../db/queries/templates/templates.ts';
import { CONFIRMATION_TEMPLATE } from '../../domain/contacts/confirmation.ts';
import { invalidRequest, Refusal } from '../../domain/errors.ts';
import type { TemplateProject, TemplateRegistry } from '../../sending/compose/template-registry.ts';

/** How a brand is to ask. undefined: as it does. */
export interface WantedConfirmation {
  readonly doubleOptIn: boolean | undefined;
  /** null: the one that ships. */
  readonly template: string | null | undefined;
}

/**
 * A brand asks by a transactional template of the project that shows the link, and only where that is enabled. Throws unknown_template,
 * invalid_request and template_not_enabled.
 */
export async function requireConfirmation(
  em: EntityManager,
  registry: TemplateRegistry,
  { project, slug, wanted }: { readonly project: TemplateProject; readonly slug: string; readonly wanted: WantedConfirmation },
): Promise<void> {
  const brand = await findBrand(em, project.id, slug);
  const key = (wanted.template === undefined ? brand?.confirm_template : wanted.template) ?? CONFIRMATION_TEMPLATE;
  const entry = await registry.find(em, project, key);
  if (!entry) throw new Refusal('unknown_template', await registry.noSuchTemplate(em, project, key));
  const refuse = (message: string) => invalidRequest([{ path: 'confirmTemplate', message }]);
  if (entry.type !== 'transactional') throw refuse(`${key} is a marketing template: who has not confirmed gets none`);
  const at = { projectId: project.id, brand: slug, template: key, ownId: entry.own?.id };
  const { published } = await findTemplateVersions(em, at);
  if (!JSON.stringify(published?.content ?? entry.content).includes('confirmUrl'))
    throw refuse(`${key} does not show confirmUrl: without the link nobody can confirm`);
  if (!(wanted.doubleOptIn ?? brand?.double_opt_in)) return;
  if (!(await findTemplateSetting(em, at))?.enabled)
    throw new Refusal(
      'template_not_enabled',
      `the template ${key} is not enabled for the brand ${slug}; PUT /templates/${key} with { "enabled": true, "brand": "${slug}" } enables it`,
    );
}
