import { type Issue, MAX_ISSUES } from '../../domain/errors.ts';
import { dataWarnings } from '../../domain/templates/data-warnings.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import { requiredPaths, ungivenMessage, ungivenPaths } from '../../domain/templates/required-data.ts';
import { mailScope } from '../../domain/templates/variable-spelling.ts';
import type { Authoring } from '../../sending/compose/authoring.ts';

export interface CampaignToCheck {
  readonly projectId: string;
  readonly entry: RegistryEntry;
  readonly data: Readonly<Record<string, unknown>>;
  /** Texts of Liquid, each by the name that its caller gives it. */
  readonly subjects: readonly { readonly path: string; readonly text: string | null | undefined }[];
}

/**
 * What would make the mail of every recipient fail, or another than was meant: required data that nobody gives, variables that no mail has,
 * Liquid within data. The campaign is made all the same.
 */
export async function campaignWarnings(
  authoring: Pick<Authoring, 'misspelled'>,
  { projectId, entry, data, subjects }: CampaignToCheck,
): Promise<Issue[]> {
  const lacking = ungivenPaths(requiredPaths(entry.dataSchema), data, false);
  const texts = subjects.flatMap(({ path, text }) => (text?.includes('{') ? { source: text, at: path } : []));
  const scope = mailScope(entry.dataSchema, data);
  const misspelled = await authoring.misspelled(
    texts.map((text) => ({ ...text, scope })),
    projectId,
  );
  return [
    ...lacking.map((path) => ({ path: `data.${path}`, message: ungivenMessage(entry.key, path) })),
    ...dataWarnings(entry.dataSchema, data),
    ...misspelled.flat(),
  ].slice(0, MAX_ISSUES);
}
