import { type ContactTextInput, contactTexts } from '../contacts/fields.ts';
import { NOBODY } from '../contacts/unsubscribe-token.ts';
import { type ContactVariables, isSystemPath, SYSTEM_VARIABLES } from './variables.ts';

/** A contact that exists only in one preview. */
export interface SampleContact extends ContactTextInput {
  readonly email?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What a mail shows of it; what it does not say is as with a contact of which no more is known. */
export function sampleVariables(
  sample: SampleContact,
  of: { readonly email: string; readonly brand: string; readonly now: Date },
): ContactVariables {
  return {
    id: NOBODY,
    email: sample.email ?? of.email,
    ...contactTexts((_, name) => sample[name] ?? null),
    status: 'subscribed',
    brand_id: of.brand,
    source: 'preview',
    tags: sample.tags ?? [],
    attributes: sample.attributes ?? {},
    created_at: of.now,
    updated_at: of.now,
  };
}

/** Whether a send fills the path from its contact: a sample that lacks it says nothing about the mail. */
export function isOfContact(path: string): boolean {
  const [root, member = ''] = path.split('.');
  return isSystemPath(path) && root === 'contact' && (SYSTEM_VARIABLES.contact?.includes(member) ?? false);
}
