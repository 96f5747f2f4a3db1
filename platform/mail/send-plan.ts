import type { EntityManager } from '../../db/orm.ts';
import { upsertContacts } from '../../db/queries/contacts.ts';
import { type FactsBrand, type FactsContact, loadSendFacts, type SendFacts } from '../../db/queries/send-facts.ts';
import { Refusal } from '../../domain/errors.ts';
import { isOnDomain, type SendType } from '../../domain/send.ts';
import { NOBODY, unsubscribeUrl } from '../../domain/unsubscribe-token.ts';
import type { MailerDeps, SendRequest } from './deliver.ts';
import type { Mailbox } from './provider.ts';

/** Who gets what from whom; nothing is written yet. */
export interface SendPlan {
  readonly contact: FactsContact | null;
  readonly brand: FactsBrand;
  readonly type: SendType;
  readonly to: string;
  readonly from: Mailbox;
  /** Liquid. */
  readonly subject: string;
  /** null: the registry's own content renders. */
  readonly publishedVersion: number | null;
  /** Marketing mail to a contact only. */
  readonly unsubscribeUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether opens and clicks are counted: decisions.md 12.3. */
  readonly isTracked: boolean;
  /** Whether the project has an endpoint for events. */
  readonly isHeard: boolean;
}

/** Recipient, brand, enabled, sender: refused in this order (decisions.md 4.2). An unknown marketing recipient then becomes a contact. */
export async function planSend(em: EntityManager, request: SendRequest, deps: MailerDeps, sendId: string): Promise<SendPlan> {
  const plan = await readPlan(em, request, deps, sendId);
  // A test mail makes no contact.
  if (plan.type !== 'marketing' || plan.contact || request.sourceType === 'test') return plan;
  const origin = { source: 'send', ip: request.caller?.ip, userAgent: request.caller?.userAgent, now: deps.now() };
  const inputs = [{ email: plan.to, brand: plan.brand.slug }];
  const { projectId } = request;
  await em.transactional((tx) =>
    upsertContacts(tx, { projectId, defaultBrand: plan.brand.slug, inputs, isList: false, origin, newId: deps.newId }),
  );
  return readPlan(em, request, deps, sendId);
}

async function readPlan(em: EntityManager, request: SendRequest, { vault, publicUrl }: MailerDeps, sendId: string): Promise<SendPlan> {
  const { projectId, entry, recipient } = request;
  const facts = await loadSendFacts(em, { projectId, template: entry.key, recipient, brand: request.brand });
  if (!facts) throw new Refusal('not_found', 'the project is gone');
  const { contact, brand, setting } = facts;
  if ('contactId' in recipient && !contact) throw new Refusal('not_found', 'no such contact in this project');
  if (!brand) throw new Refusal('no_brand', 'this project has no brand yet');
  if (!setting?.enabled && !request.content) {
    throw new Refusal('template_not_enabled', `the template ${entry.key} is not enabled for the brand ${brand.slug}`);
  }
  const from = senderOf(request, facts, brand);
  const type = request.type ?? entry.type;
  const reader = contact?.id ?? (request.sourceType === 'test' ? NOBODY : undefined);
  const link = type === 'marketing' && reader ? unsubscribeUrl(publicUrl, vault.open(facts.sealed_link_secret), reader, sendId) : undefined;
  return {
    contact,
    brand,
    type,
    to: 'email' in recipient ? recipient.email : (contact?.email as string),
    from,
    subject: request.subject || setting?.subject || entry.subject,
    publishedVersion: facts.published_version,
    unsubscribeUrl: link,
    headers: link ? marketingHeaders(link, brand.slug, from) : {},
    isTracked: type === 'marketing' || brand.track_transactional,
    isHeard: facts.has_webhooks,
  };
}

function senderOf({ from }: SendRequest, { setting, verified_domains }: SendFacts, brand: FactsBrand): Mailbox {
  const sender = from ?? mailbox(setting?.from_email, setting?.from_name) ?? mailbox(brand.from_email, brand.from_name);
  if (!sender) throw new Refusal('invalid_from', `the brand ${brand.slug} has no sender address yet`);
  if (!isOnDomain(sender.email, verified_domains)) throw new Refusal('invalid_from', `${sender.email} is not on a verified sending domain`);
  return sender;
}

function mailbox(email: string | null | undefined, name: string | null | undefined): Mailbox | undefined {
  if (!email) return undefined;
  return name ? { email, name } : { email };
}

/** RFC 8058 one-click unsubscribe and RFC 2919 List-Id: decisions.md 4.7. */
function marketingHeaders(link: string, listName: string, from: Mailbox): Readonly<Record<string, string>> {
  return {
    'List-Unsubscribe': `<${link}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'List-Id': `<${listName}.${from.email.slice(from.email.lastIndexOf('@') + 1)}>`,
    Precedence: 'bulk',
  };
}
