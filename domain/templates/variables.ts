import { byColumn, type ContactTexts, NAME_COLUMNS, TRAIT_COLUMNS } from '../contacts/fields.ts';

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

/** One of which nothing is known. Templates list what is known of a contact in this order. */
const NO_CONTACT = {
  ...{ id: null, email: null, ...byColumn(NAME_COLUMNS, () => null), status: null, brand_id: null, source: null, tags: null },
  ...{ ...byColumn(TRAIT_COLUMNS, () => null), attributes: null, created_at: null, updated_at: null },
} satisfies Record<keyof ContactVariables, null>;
const CONTACT_VARIABLES = Object.keys(NO_CONTACT) as (keyof ContactVariables)[];

/** The names that the renderer fills in, whatever the data says, and what may follow each; null: whatever there is. What `contact.attributes` and `event` hold is the caller's. */
export const SYSTEM_VARIABLES: Readonly<Record<string, readonly string[] | null>> = {
  contact: CONTACT_VARIABLES,
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
    contact: contact ? shownContact(contact) : {},
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

/** Made for each mail: a copy that is filled in costs less than one that is built by its keys. */
function shownContact(contact: ContactVariables): Record<string, unknown> {
  const shown: Record<keyof ContactVariables, unknown> = { ...NO_CONTACT };
  for (const name of CONTACT_VARIABLES) shown[name] = contact[name];
  shown.created_at = isoText(contact.created_at);
  shown.updated_at = isoText(contact.updated_at);
  return shown;
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
