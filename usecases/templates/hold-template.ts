import type { EntityManager } from '../../db/orm.ts';
import { holdProjectTemplate } from '../../db/queries/templates/project-templates.ts';
import type { BrandTemplate } from '../../db/queries/templates/templates.ts';
import { Refusal } from '../../domain/errors.ts';

/** Holds a template of the project until the transaction ends. Throws the 404 of one that was deleted meanwhile. */
export async function holdTemplate(tx: EntityManager, { template, ownId }: BrandTemplate): Promise<void> {
  if (ownId !== undefined && !(await holdProjectTemplate(tx, ownId))) throw deletedTemplate(template);
}

/** The 404 of a template that was deleted meanwhile. */
export function deletedTemplate(key: string): Refusal {
  return new Refusal('unknown_template', `the template ${key} was deleted`, { status: 404 });
}
