import type { FactsBrand, SendFacts, SendSetting } from '../db/queries/sends/send-facts.ts';
import { NOBODY } from '../domain/contacts/unsubscribe-token.ts';
import { noBrand, Refusal } from '../domain/errors.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { sealedOf } from '../domain/projects/sealed.ts';
import { isOnDomain, NO_TEMPLATE, type SendType, unverifiedSender } from '../domain/sends/send.ts';
import { type Languages, languageFor, NO_LANGUAGES } from '../domain/templates/languages.ts';
import { type RegistryEntry, shippedLanguages } from '../domain/templates/registry-entry.ts';
import type { Mailbox } from '../platform/mail/mail.ts';
import type { MailRequest } from './request.ts';

/** Who gets what from whom; nothing is written yet. */
export interface SendPlan {
  /** undefined: the call brought its content. */
  readonly entry: RegistryEntry | undefined;
  readonly contact: SendFacts['contact'];
  readonly brand: FactsBrand;
  readonly type: SendType;
  readonly to: string;
  readonly from: Mailbox;
  /** undefined: answers go to the sender. */
  readonly replyTo: string | undefined;
  /** Liquid. */
  readonly subject: string;
  /** null: the registry's own content renders. */
  readonly publishedVersion: number | null;
  /** The language that it is in, one that its template ships with where nothing is published; undefined: the default. */
  readonly locale: string | undefined;
  /** Whose link a marketing mail has: its contact's, and nobody's in a test. */
  readonly unsubscribe: { readonly contactId: string; readonly linkSecret: Uint8Array } | undefined;
  /** Whether opens and clicks are counted: docs/contract/unsubscribe.md 11. */
  readonly isTracked: boolean;
  /** Whether the project has an endpoint for events. */
  readonly hasWebhooks: boolean;
}

/** What all mails by one template of one brand have in common. */
export interface PlanOfAll extends Pick<SendPlan, 'entry' | 'brand' | 'from' | 'replyTo' | 'subject' | 'publishedVersion'> {
  readonly languages: Languages;
}

/** Brand, enabled, sender: whether mails of this kind can be made at all (docs/contract/sends.md 3). Throws Refusal. */
export function planForAll(request: Omit<MailRequest, 'recipient' | 'identity'>, setting: SendSetting | undefined): PlanOfAll {
  const { entry, template, content, pinned } = request;
  if (!setting) throw new Refusal('not_found', 'the project is gone');
  if (!entry && !content) throw new Refusal('unknown_template', `the template ${template} no longer exists`);
  const { brand } = setting;
  const publishedVersion = pinned ? pinned.version : setting.publishedVersion;
  if (!brand) throw noBrand();
  if (!setting.enabled && !content && !pinned) {
    const how = `PUT /templates/${template} with { "enabled": true, "brand": "${brand.slug}" } enables it`;
    throw new Refusal('template_not_enabled', `the template ${template} is not enabled for the brand ${brand.slug}; ${how}`);
  }
  const from = senderOf(request, setting, brand);
  const replyTo = brand.reply_to ?? undefined;
  const subject = request.subject || (pinned?.subject ?? setting.subject) || (entry?.subject ?? '');
  const { languages } = content ? { languages: NO_LANGUAGES } : (pinned ?? setting);
  return { entry, brand, from, replyTo, subject, publishedVersion, languages };
}

/** Recipient, brand, enabled, sender: refused in this order (docs/contract/sends.md 3). Throws Refusal. */
export function planSend(request: MailRequest, { contact, setting }: SendFacts, links: LinkSecrets, isTest: boolean): SendPlan {
  const { entry, content, recipient } = request;
  if (setting && (entry || content) && 'contactId' in recipient && !contact)
    throw new Refusal('not_found', 'no such contact in this project');
  const { languages, ...plan } = planForAll(request, setting);
  const shipped = content ? {} : shippedLanguages(entry, plan.publishedVersion);
  const nearest = languageFor(request.locale ?? contact?.locale, { ...shipped, ...languages });
  const language = nearest === undefined ? undefined : (languages[nearest] ?? { version: null, subject: shipped[nearest]?.subject });
  const { brand } = plan;
  const { hasWebhooks, sealedLinkSecret } = setting as SendSetting;
  const type = request.type ?? entry?.type ?? 'marketing';
  // docs/contract/unsubscribe.md 9: who looks at a test must not be unsubscribed by it.
  const reader = isTest ? NOBODY : contact?.id;
  return {
    ...plan,
    ...(language && { publishedVersion: language.version, subject: request.subject || language.subject || plan.subject }),
    locale: content ? request.contentLocale : nearest,
    contact,
    type,
    to: 'email' in recipient ? recipient.email : (contact?.email as string),
    unsubscribe:
      type === 'marketing' && reader ? { contactId: reader, linkSecret: links.open(sealedLinkSecret, request.projectId) } : undefined,
    isTracked: !request.isUntracked && (type === 'marketing' || brand.track_transactional),
    hasWebhooks,
  };
}

/** The usual sender of a setting: the very same for all mails of a batch. */
const senders = new WeakMap<SendSetting, Mailbox>();

function senderOf({ from, template }: Pick<MailRequest, 'from' | 'template'>, setting: SendSetting, brand: FactsBrand): Mailbox {
  const { fromEmail, fromName, verifiedDomains } = setting;
  const sender = from ?? senders.get(setting) ?? mailbox(fromEmail, fromName) ?? mailbox(brand.from_email, brand.from_name);
  if (!sender) {
    const how = template === NO_TEMPLATE ? 'give `from`' : `PUT /templates/${template} with { "from": { "email": "…" } } gives one`;
    throw new Refusal('invalid_from', `the brand ${brand.slug} has no sender address yet; ${how}, or an operator with \`brand set\``);
  }
  if (!isOnDomain(sender.email, verifiedDomains)) throw unverifiedSender(sender.email, verifiedDomains);
  if (!from) senders.set(setting, sender);
  return sender;
}

function mailbox(email: string | null, name: string | null): Mailbox | undefined {
  if (!email) return undefined;
  return name ? { email, name } : { email };
}

/** Opens the projects' link secrets; the same object for the same secret, so that a batch holds it once. */
export interface LinkSecrets {
  open(sealed: Buffer, projectId: string): Uint8Array;
}

const SECRETS_KEPT = 1_000;

export function createLinkSecrets(vault: Vault): LinkSecrets {
  const opened = new Map<string, Uint8Array>();
  return {
    open(sealed, projectId) {
      const key = `${projectId} ${sealed.toString('latin1')}`;
      let secret = opened.get(key);
      if (!secret) {
        if (opened.size >= SECRETS_KEPT) opened.clear();
        secret = new Uint8Array(vault.open(sealed, sealedOf.linkSecret(projectId)));
        opened.set(key, secret);
      }
      return secret;
    },
  };
}
