import { sql } from 'kysely';
import type { BrandRow, ContactRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow } from '../rows.ts';

/** Rows as JSON: their timestamps are texts, as templates show them. */
export type FactsContact = AsJson<ContactRow>;
export type FactsBrand = AsJson<BrandRow>;
type AsJson<T> = { readonly [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K] };

/** Everything that stands in the database about one mail to one recipient, read in one statement. */
export interface SendFacts {
  readonly contact: FactsContact | null;
  readonly brand: FactsBrand | null;
  readonly setting: {
    readonly enabled: boolean;
    readonly subject: string;
    readonly from_email: string | null;
    readonly from_name: string | null;
  } | null;
  /** The number of the published version; null while nothing is published. */
  readonly published_version: number | null;
  readonly verified_domains: readonly string[];
  readonly sealed_link_secret: Buffer;
  /** Some endpoint of the project is enabled. */
  readonly has_webhooks: boolean;
}

export interface SendFactsQuery {
  readonly projectId: string;
  readonly template: string;
  /** By id, or by address; a contact is optional for an address. */
  readonly recipient: { readonly contactId: string } | { readonly email: string };
  /** Falls back to the contact's brand, then the project's default. */
  readonly brand: string | undefined;
}

/** Undefined when the project is gone. */
export async function loadSendFacts(em: EntityManager, query: SendFactsQuery): Promise<SendFacts | undefined> {
  const { projectId, template, recipient, brand } = query;
  const who = 'contactId' in recipient ? sql`c.id = ${recipient.contactId}` : sql`c.email = ${recipient.email}`;
  return hotRow(
    em,
    sql<SendFacts>`
      select to_jsonb(c) as contact, to_jsonb(b) as brand, p.sealed_link_secret, p.has_webhooks,
             case when s.template is not null then
               jsonb_build_object('enabled', s.enabled, 'subject', s.subject, 'from_email', s.from_email, 'from_name', s.from_name) end as setting,
             (select max(v.version) from template_versions v
               where v.project_id = p.id and v.brand_id = b.slug and v.template = ${template} and not v.is_draft) as published_version,
             array(select d.domain from sending_domains d where d.project_id = p.id and d.verified) as verified_domains
      from projects p
      left join contacts c on c.project_id = p.id and ${who}
      left join lateral (
        select * from brands b where b.project_id = p.id
          and case when coalesce(${brand}, c.brand_id) is null then b.is_default else b.slug = coalesce(${brand}, c.brand_id) end) b on true
      left join template_settings s on s.project_id = p.id and s.brand_id = b.slug and s.template = ${template}
      where p.id = ${projectId}`,
  );
}
