import { sql } from 'kysely';
import type { Languages } from '../../../domain/templates/languages.ts';
import { NO_LANGUAGES } from '../../../domain/templates/languages.ts';
import type {
  BrandRow,
  ContactRow,
  ProjectRow,
  SendingDomainRow,
  SendRow,
  TemplateSettingRow,
  TemplateVersionRow,
} from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement } from '../../rows.ts';
import { publishedLanguages } from '../templates/languages.ts';
import type { LeftIntent, SendIdentity } from './send-intents.ts';
import { IS_REOPENED } from './send-outcomes.ts';

/** Whom one mail of a batch is for, and by which template of which brand. */
export interface FactsQuery {
  readonly projectId: string;
  readonly template: string;
  /** By id, or by address; a contact is optional for an address. */
  readonly recipient: { readonly contactId: string } | { readonly email: string };
  /** Falls back to the contact's brand, then the project's default. */
  readonly brand: string | undefined;
  readonly identity: SendIdentity;
}

/** A send that was opened before, as far as its settling needs it; ages by PostgreSQL's clock. */
export interface KnownSend
  extends Pick<SendRow, 'id' | 'status' | 'provider_id' | 'error' | 'request_hash'>,
    Pick<LeftIntent, 'openedAt' | 'mayBeSubmitted' | 'journal' | 'ageMs' | 'keyAgeMs'> {
  /** Its outcome was unknown, and it has been opened again since. */
  readonly isReopened: boolean;
  /** Somebody has sent it again, as another. */
  readonly isFollowed: boolean;
  /** Its recipient was erased. */
  readonly isErased: boolean;
  /** It was to stay here when it was opened. */
  readonly isSandboxed: boolean;
}

/** What stands in the database about one mail to one recipient. */
export interface SendFacts {
  readonly contact: (Pick<ContactRow, 'id' | 'email' | 'locale'> & { readonly json: string }) | null;
  /** The same object for all mails of the batch that share it; undefined when the project is gone. */
  readonly setting: SendSetting | undefined;
  /** The row that the caller's key, or the visit, already has. */
  readonly known: KnownSend | undefined;
  /** The scheduled mail that has the caller's key, and waits. */
  readonly waiting: { readonly id: string; readonly request_hash: Buffer; readonly due_at: Date } | undefined;
}

/** What all mails by one template of one brand share. */
export interface SendSetting {
  /** Of the project. */
  readonly slug: string;
  /** null: the project has none, or none of the name that was asked for. */
  readonly brand: FactsBrand | null;
  readonly enabled: boolean;
  /** Empty while the brand has set none. */
  readonly subject: string;
  readonly fromEmail: string | null;
  readonly fromName: string | null;
  /** The number of the published version; null while nothing is published. */
  readonly publishedVersion: number | null;
  /** What is published in other languages. */
  readonly languages: Languages;
  readonly verifiedDomains: readonly string[];
  readonly sealedLinkSecret: Buffer;
  /** Some endpoint of the project is enabled. */
  readonly hasWebhooks: boolean;
  /** No mail of the project leaves. */
  readonly isSandbox: boolean;
}

/** As JSON: its timestamps are texts. */
export type FactsBrand = Omit<BrandRow, 'created_at'>;

interface FactsRow {
  /** Of a recipient; null for a setting. */
  readonly place: number | null;
  readonly contact_id: ContactRow['id'] | null;
  readonly contact_email: ContactRow['email'] | null;
  readonly contact: string | null;
  readonly contact_locale: ContactRow['locale'];
  readonly known: (Omit<KnownSend, 'request_hash' | 'openedAt'> & { request_hash: string | null; openedAt: string }) | null;
  readonly waiting: { readonly id: string; readonly request_hash: string; readonly due_at: string } | null;
  readonly brand_id: BrandRow['slug'] | null;
  /** Of a setting; a recipient's are known. */
  readonly project_id: ProjectRow['id'] | null;
  readonly template: string | null;
  readonly setting: (OrNull<Pick<TemplateSettingRow, 'enabled' | 'subject' | 'from_email' | 'from_name'>> & FactsSetting) | null;
}

interface FactsSetting extends Pick<ProjectRow, 'slug' | 'has_webhooks' | 'sandbox'> {
  readonly brand: FactsBrand | null;
  readonly published_version: TemplateVersionRow['version'] | null;
  readonly languages: Languages | null;
  readonly domains: readonly SendingDomainRow['domain'][] | null;
  readonly link_secret: string;
}

/** The columns of a row that may be missing. */
type OrNull<T> = { readonly [Column in keyof T]: T[Column] | null };

/** A row for each recipient, and one for each template and brand that some of them share. */
const FACTS = preparedStatement(sql<FactsRow>`
  with asked as (
    select * from json_to_recordset($1::json) as a(place integer, project_id uuid, contact_id uuid, email text, brand text, template text,
                                                   key text, enrollment_id uuid, node_id text, visit integer)
  ), found as materialized (
    select a.place, a.project_id, a.template, coalesce(a.brand, c.brand_id, d.slug) as brand_id, c.id as contact_id, c.email as contact_email,
           row_to_json(c)::text as contact, c.locale as contact_locale, k.known, w.waiting
    from asked a
    left join lateral (
      select c.* from contacts c where a.contact_id is not null and c.project_id = a.project_id and c.id = a.contact_id
      union all
      select c.* from contacts c where a.contact_id is null and c.project_id = a.project_id and c.email = a.email) c on c.id is not null
    left join brands d on d.project_id = a.project_id and d.is_default
    left join lateral (
      select json_build_object('id', s.id, 'status', s.status, 'provider_id', s.provider_id, 'error', s.error,
                               'request_hash', encode(s.request_hash, 'hex'), 'openedAt', s.opened_at, 'mayBeSubmitted', s.created_at < s.opened_at,
                               'isReopened', ${IS_REOPENED}, 'isFollowed', s.retried_as is not null, 'isErased', s.to_email = '', 'isSandboxed', s.sandboxed,
                               'journal', s.journal, 'ageMs', extract(epoch from now() - s.opened_at) * 1000,
                               'keyAgeMs', extract(epoch from now() - s.created_at) * 1000) as known
      from (
        select s.* from sends s where a.key is not null and s.project_id = a.project_id and s.idempotency_key = a.key
        union all
        select s.* from sends s
        where a.enrollment_id is not null and s.enrollment_id = a.enrollment_id and s.node_id = a.node_id and s.visit = a.visit) s) k on true
    left join lateral (
      select json_build_object('id', q.id, 'request_hash', encode(q.request_hash, 'hex'), 'due_at', q.due_at) as waiting
      from scheduled_sends q where a.key is not null and q.project_id = a.project_id and q.idempotency_key = a.key) w on true
  )
  select f.place, f.contact_id, f.contact_email, f.contact, f.contact_locale, f.known, f.waiting, null::uuid as project_id, f.brand_id, null as template, null::json as setting
  from found f
  union all
  select null, null, null, null, null, null, null, f.project_id, f.brand_id, f.template,
         json_build_object('brand', to_json(b), 'enabled', s.enabled, 'subject', s.subject, 'from_email', s.from_email, 'from_name', s.from_name,
           'published_version', (select max(v.version) from template_versions v
             where v.project_id = f.project_id and v.brand_id = f.brand_id and v.template = f.template and not v.is_draft and v.locale = ''),
           'languages', ${publishedLanguages({ projectId: sql.ref('f.project_id'), brand: sql.ref('f.brand_id'), template: sql.ref('f.template') })},
           'domains', (select json_agg(d.domain) from sending_domains d where d.project_id = f.project_id and d.verified),
           'link_secret', encode(p.sealed_link_secret, 'base64'), 'has_webhooks', p.has_webhooks, 'sandbox', p.sandbox, 'slug', p.slug)
  from (select distinct project_id, brand_id, template from found) f
  join projects p on p.id = f.project_id
  left join brands b on b.project_id = f.project_id and b.slug = f.brand_id
  left join template_settings s on s.project_id = f.project_id and s.brand_id = f.brand_id and s.template = f.template`);

/** The facts of a batch in one statement, in the order of the queries. */
export async function readSendFacts(em: EntityManager, batch: readonly FactsQuery[]): Promise<SendFacts[]> {
  const asked = batch.map(({ projectId, template, recipient, brand, identity }, place) => ({
    place,
    project_id: projectId,
    template,
    brand,
    ...('contactId' in recipient ? { contact_id: recipient.contactId } : { email: recipient.email }),
    ...(identity.by === 'key' ? { key: identity.key } : {}),
    ...(identity.by === 'visit' ? { enrollment_id: identity.enrollmentId, node_id: identity.nodeId, visit: identity.visit } : {}),
  }));
  const rows = await FACTS(em, [JSON.stringify(asked)]);
  const settings = new Map<string, SendSetting>();
  for (const { project_id, brand_id, template, setting } of rows)
    if (setting) settings.set(sharedBy(project_id, brand_id, template), toSetting(setting));
  const facts = new Array<SendFacts>(batch.length);
  for (const row of rows) {
    if (row.place === null) continue;
    const { contact_id: id, contact_email: email, contact: json, contact_locale: locale, brand_id } = row;
    const { projectId, template } = batch[row.place] as FactsQuery;
    const contact = id !== null && email !== null && json !== null ? { id, email, locale, json } : null;
    const { waiting } = row;
    facts[row.place] = {
      contact,
      setting: settings.get(sharedBy(projectId, brand_id, template)),
      known: toKnown(row.known),
      waiting: waiting
        ? { ...waiting, request_hash: Buffer.from(waiting.request_hash, 'hex'), due_at: new Date(waiting.due_at) }
        : undefined,
    };
  }
  return facts;
}

function sharedBy(projectId: string | null, brandId: string | null, template: string | null): string {
  return `${projectId} ${brandId} ${template}`;
}

function toSetting(found: NonNullable<FactsRow['setting']>): SendSetting {
  return {
    brand: found.brand,
    enabled: found.enabled ?? false,
    subject: found.subject ?? '',
    fromEmail: found.from_email,
    fromName: found.from_name,
    publishedVersion: found.published_version,
    languages: found.languages ?? NO_LANGUAGES,
    verifiedDomains: found.domains ?? [],
    sealedLinkSecret: Buffer.from(found.link_secret, 'base64'),
    hasWebhooks: found.has_webhooks,
    isSandbox: found.sandbox,
    slug: found.slug,
  };
}

function toKnown(found: FactsRow['known']): KnownSend | undefined {
  if (!found) return undefined;
  const { request_hash, openedAt } = found;
  return { ...found, request_hash: request_hash === null ? null : Buffer.from(request_hash, 'hex'), openedAt: new Date(openedAt) };
}
