import type { ContactTexts } from '../contacts/fields.ts';

/** What a mail may show of its contact: the contact record of docs/contract/contacts.md and its additive fields. */
export interface ContactVariables extends ContactTexts {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly brand_id: string;
  readonly source: string;
  readonly tags: readonly string[];
  readonly attributes: unknown;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

export interface BrandVariables {
  readonly slug: string;
  readonly name: string;
  readonly logo_url: string | null;
  readonly color: string | null;
  readonly website: string | null;
  readonly address: string | null;
}

export interface MailVariablesInput {
  /** The caller's fields, at top level; a system variable of the same name wins. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly contact?: ContactVariables | null | undefined;
  /** Payload of the event that the enrollment started with. */
  readonly event?: Readonly<Record<string, unknown>> | null | undefined;
  readonly brand: BrandVariables;
  readonly recipientEmail: string;
  /** Only marketing mail has one. */
  readonly unsubscribeUrl?: string | undefined;
  readonly now: Date;
}

/** The names that the renderer fills in, whatever the data says, and what may follow each; null: whatever there is. What `contact.attributes` and `event` hold is the caller's. */
export const SYSTEM_VARIABLES: Readonly<Record<string, readonly string[] | null>> = {
  contact: Object.keys({
    ...{
      id: 0,
      email: 0,
      first_name: 0,
      last_name: 0,
      display_name: 0,
      status: 0,
      brand_id: 0,
      source: 0,
      tags: 0,
      timezone: 0,
      locale: 0,
    },
    ...{ attributes: 0, created_at: 0, updated_at: 0 },
  } satisfies Record<keyof ContactVariables, 0>),
  event: null,
  brand: Object.keys({ slug: 0, name: 0, logo_url: 0, color: 0, website: 0, address: 0 } satisfies Record<keyof BrandVariables, 0>),
  recipient: ['email'],
  unsubscribeUrl: null,
  subject: null,
  now: null,
};

/** docs/contract/templates.md 17. `subject` is filled in by `renderMail`, which renders it first. */
export function mailVariables(input: MailVariablesInput): Record<string, unknown> {
  const { contact, brand } = input;
  return {
    ...input.data,
    contact: contact
      ? ({
          id: contact.id,
          email: contact.email,
          first_name: contact.first_name,
          last_name: contact.last_name,
          display_name: contact.display_name,
          status: contact.status,
          brand_id: contact.brand_id,
          source: contact.source,
          tags: contact.tags,
          timezone: contact.timezone,
          locale: contact.locale,
          attributes: contact.attributes,
          created_at: isoText(contact.created_at),
          updated_at: isoText(contact.updated_at),
        } satisfies Record<keyof ContactVariables, unknown>)
      : {},
    event: input.event ?? {},
    brand: {
      slug: brand.slug,
      name: brand.name,
      logo_url: brand.logo_url,
      color: brand.color,
      website: brand.website,
      address: brand.address,
    },
    recipient: { email: input.recipientEmail },
    unsubscribeUrl: input.unsubscribeUrl ?? '',
    subject: '',
    now: input.now.toISOString(),
  };
}

/** Whether data has no say in this path. */
export function isSystemPath(path: string): boolean {
  return Object.hasOwn(SYSTEM_VARIABLES, path.split('.', 1)[0]!);
}

/** Reads the value at a dotted path, own properties only. */
export function pathReader(path: string): (variables: object) => unknown {
  const names = path.split(/[.[\]]+/).filter((name) => name !== '');
  return (variables) => {
    let at: unknown = variables;
    for (const name of names) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
      at = (at as Record<string, unknown>)[name];
    }
    return at;
  };
}

const UTC = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00:00$/;

/** As the API shows it; the database writes JSON timestamps in a form of its own. */
function isoText(time: Date | string): string {
  const [, whole, fraction = ''] = (typeof time === 'string' ? UTC.exec(time) : null) ?? [];
  return whole === undefined ? new Date(time).toISOString() : `${whole}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}
