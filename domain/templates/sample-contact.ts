import { NOBODY } from '../contacts/unsubscribe-token.ts';
import { type ContactVariables, isSystemPath, SYSTEM_VARIABLES } from './variables.ts';

/** A contact that exists only in one preview. */
export interface SampleContact {
  readonly email?: string | null | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  readonly displayName?: string | null | undefined;
  readonly timezone?: string | null | undefined;
  readonly locale?: string | null | undefined;
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
    first_name: sample.firstName ?? null,
    last_name: sample.lastName ?? null,
    display_name: sample.displayName ?? null,
    status: 'subscribed',
    brand_id: of.brand,
    source: 'preview',
    tags: sample.tags ?? [],
    timezone: sample.timezone ?? null,
    locale: sample.locale ?? null,
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
