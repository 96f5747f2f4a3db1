import { readLeftOut } from '../db/queries/sends/copies.ts';
import type { FactsQuery, SendFacts, SendSetting } from '../db/queries/sends/send-facts.ts';
import type { SendIntent } from '../db/queries/sends/send-intents.ts';
import { emailDomain } from '../domain/contacts/email-address.ts';
import type { Mailbox } from '../domain/contacts/mailbox.ts';
import { Refusal } from '../domain/errors.ts';
import { isSandboxAddress, playsClicked } from '../domain/sends/sandbox.ts';
import type { SendFailure } from '../domain/sends/send.ts';
import {
  copiesGoing,
  copiesOf,
  hasCopies,
  isLeftOut,
  type LeftOut,
  type MailDetails,
  type SendDetails,
  withoutCopyTo,
} from '../domain/sends/send-details.ts';
import { NOTHING_DECLARED, type RegistryEntry } from '../domain/templates/registry-entry.ts';
import { requiredPaths } from '../domain/templates/required-data.ts';
import type { GappedMail, OutgoingMail } from '../platform/mail/mail.ts';
import type { BatchDeps, PreparationStages } from './batch-deps.ts';
import { handled, type Item, UNDECIDED, undecided } from './batch-item.ts';
import type { Composed, ComposeRequest } from './compose/compose-request.ts';
import { planSend, type SendPlan } from './plan.ts';
import { nextToAsk, type Provider } from './providers/provider.ts';
import type { MailRequest } from './request.ts';
import { isSandboxed, staysHere } from './sandbox.ts';
import type { Source } from './source.ts';
import { withFiles } from './with-files.ts';

/**
 * A mail's way from its request to all that its intent says: facts, plan, contact, content. What fails for one mail is its result, or the
 * failure that its row is written with.
 */
export class MailPreparation<Request extends MailRequest, Result> {
  readonly #deps: BatchDeps;
  readonly #stages: PreparationStages;
  readonly #source: Source<Request, Result>;

  constructor(deps: BatchDeps, stages: PreparationStages, source: Source<Request, Result>) {
    this.#deps = deps;
    this.#stages = stages;
    this.#source = source;
  }

  /** What stands in the database about each. */
  async readFacts(items: readonly Item<Request, Result>[]): Promise<void> {
    if (items.length === 0) return;
    const found = await this.#stages.facts(items.map(({ request }) => factsQuery(request)));
    for (const [index, item] of items.entries()) {
      const facts = found[index] as PromiseSettledResult<SendFacts>;
      if (facts.status === 'fulfilled') item.facts = facts.value;
      else item.result = handled(Promise.reject(facts.reason));
    }
  }

  /** What follows from the facts; one that cannot be made for its project is decided, or has its failure. */
  plan(item: Item<Request, Result>): void {
    const { request, facts } = item;
    try {
      item.plan = planSend(request, facts, this.#deps.links, this.#source.type === 'test');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.#source.logsUnsendable) item.result = error;
      else {
        item.failure = { reason: error.code as SendFailure, message: error.message };
        // One of a call has been in the list of those that wait, and stays what it was there.
        if (this.#source.type === 'api') item.subject = request.subject ?? '';
      }
    }
  }

  /** An unknown marketing recipient becomes a contact: docs/contract/sends.md 6. */
  async makeContacts(items: readonly Item<Request, Result>[]): Promise<void> {
    if (!this.#source.makesContacts) return;
    const unknown = items.filter(({ plan }) => plan?.type === 'marketing' && !plan.contact);
    if (unknown.length === 0) return;
    const { em, now, newId, makeContact } = this.#deps;
    await Promise.all(
      unknown.map(async (item) => {
        const { projectId, caller } = item.request;
        const { brand, to } = item.plan as SendPlan;
        const made = makeContact(em, {
          ...{ projectId, email: to, brand: brand.slug, caller, isSandboxed: isSandboxed(item) },
          ...{ now: now(), newId },
        });
        // What goes wrong with one contact is its mail's alone.
        await made.catch((error: unknown) => {
          item.result = handled(Promise.reject(error));
        });
      }),
    );
    await this.readFacts(undecided(unknown));
    for (const item of undecided(unknown)) this.plan(item);
  }

  /** Their contents, on a thread of their own. */
  async compose(items: readonly Item<Request, Result>[]): Promise<void> {
    await this.#judgeCopies(items.filter(({ plan, details }) => plan && hasCopies(details)));
    const now = this.#deps.now().getTime();
    const shared = this.#sharedByMails();
    const requests = new Map<Item<Request, Result>, ComposeRequest>();
    await Promise.all(
      items.map(async (item) => {
        if (!item.plan || item.result !== UNDECIDED) return;
        try {
          requests.set(item, await this.#composeRequest(item, this.#wayOf(item, now), now, shared));
          item.allowances = this.#allowancesOf(item.request, item.plan);
        } catch (error) {
          item.result = handled(Promise.reject(error));
        }
      }),
    );
    const writable = items.filter((item) => requests.has(item));
    if (writable.length === 0) return;
    const composed = await this.#stages.compose(writable.map((item) => requests.get(item) as ComposeRequest));
    for (const [index, item] of writable.entries()) {
      const made = composed[index] as Composed;
      if (made.ok) {
        item.subject = made.subject;
        item.missing = made.missing;
        item.firstLink = made.firstLink;
        item.mail = this.#withFiles(item, made.mail);
      } else item.failure = { reason: 'render_failed', message: made.message };
    }
  }

  #allowancesOf({ projectId }: Request, { from }: SendPlan): Item<Request, Result>['allowances'] {
    const { ramps } = this.#deps;
    return ramps && (() => ramps.of(projectId, emailDomain(from.email)));
  }

  /** Leaves out those copies whose addresses may not get the mail: docs/contract/sends.md 58. */
  async #judgeCopies(items: readonly Item<Request, Result>[]): Promise<void> {
    if (items.length === 0) return;
    const asked = items.map(({ request: { projectId }, plan, details }) => {
      const { to, type } = plan as SendPlan;
      const others = withoutCopyTo(details as SendDetails, to);
      return { details: others, query: { projectId, type, topic: others.topic, emails: copiesOf(others) } };
    });
    try {
      const found = await readLeftOut(
        this.#deps.em,
        asked.map(({ query }) => query),
      );
      for (const [index, item] of items.entries()) {
        const leftOut = found[index] as LeftOut[];
        item.details = { ...asked[index]!.details, ...(leftOut.length > 0 && { leftOut }) };
      }
    } catch (error) {
      for (const item of items) item.result = handled(Promise.reject(error));
    }
  }

  #withFiles({ request: { projectId }, details }: Item<Request, Result>, mail: GappedMail): OutgoingMail {
    return withFiles(mail, { projectId, attachments: details?.attachments }, this.#deps.openFile);
  }

  /** Decides by which providers a mail goes. Answers with the one that is asked first, for which it is made. */
  #wayOf(item: Item<Request, Result>, now: number): Provider {
    const { sendId, plan, facts } = item;
    const { brand, type } = plan as SendPlan;
    const project = (facts.setting as SendSetting).slug;
    const providers = this.#deps.providers.wayOf({ sendId, project, brand: brand.slug, type });
    const first = nextToAsk(providers);
    item.way = {
      providers,
      mailFor: async (provider) => (isSameForm(provider, first) ? item.mail : this.#mailFor(item, provider, now)),
    };
    return first;
  }

  /** The same mail once more, for a provider that takes mails in another form; undefined: it cannot be made for it. */
  async #mailFor(item: Item<Request, Result>, provider: Provider, now: number): Promise<OutgoingMail | undefined> {
    try {
      const [made] = await this.#stages.compose([await this.#composeRequest(item, provider, now)]);
      return made?.ok ? this.#withFiles(item, made.mail) : undefined;
    } catch (error) {
      this.#deps.log.error('mail.not_made_again', { sendId: item.sendId, provider: provider.name, error });
      return undefined;
    }
  }

  async #composeRequest(
    item: Item<Request, Result>,
    provider: Provider,
    now: number,
    shared = this.#sharedByMails(),
  ): Promise<ComposeRequest> {
    const { request, plan, sendId, details } = item;
    const { entry, brand, contact, publishedVersion, locale, type, to, from, replyTo, subject, unsubscribe, isTracked } = plan as SendPlan;
    const { data, event, content, projectId } = request;
    const template = content ?? (await shared.template(entry as RegistryEntry, projectId, brand.slug, publishedVersion, locale));
    const isSigned = (provider.mail.takesSigned ?? false) && !staysHere(item);
    const { dkimKeys, linksUrl, returnHost } = await shared.ofSender(projectId, emailDomain(from.email), isSigned);
    return {
      sendId,
      format: provider.mail.format,
      template,
      type,
      subject,
      from,
      to,
      replyTo,
      brand,
      contactJson: request.shownContact ?? contact?.json ?? null,
      data,
      event,
      unsubscribe,
      isTracked,
      required: requiredPaths(entry?.dataSchema ?? NOTHING_DECLARED),
      now,
      details: details && mailDetails(details),
      dkimKeys,
      linksUrl,
      returnHost,
    };
  }

  /** What mails of a batch have in common, which is asked for once. */
  #sharedByMails() {
    const { published, dkimKeysFor, linksUrlFor, returnHostFor } = this.#deps;
    return {
      template: askedOnce((entry: RegistryEntry, projectId: string, brand: string, version: number | null, locale: string | undefined) =>
        published(entry, { projectId, brand }, version, locale),
      ),
      ofSender: askedOnce(async (projectId: string, domain: string, isSigned: boolean) => ({
        dkimKeys: isSigned ? await dkimKeysFor?.(projectId, domain) : undefined,
        linksUrl: await linksUrlFor?.(projectId, domain),
        returnHost: await returnHostFor?.(projectId, domain),
      })),
    };
  }

  /** What is written down before it is submitted. */
  intent(item: Item<Request, Result>): SendIntent {
    const { request, plan, facts, sendId, failure, subject, missing, details } = item;
    const { projectId, template, sourceId, identity, cap, window, variant, brand, type, entry, recipient, maybeSubmittedAt } = request;
    const kind = plan?.type ?? type ?? entry?.type ?? 'marketing';
    return {
      id: sendId,
      projectId,
      // Of a contact that is gone the gate knows better than whoever asked for the mail.
      contactId: facts.contact?.id ?? ('contactId' in recipient ? recipient.contactId : null),
      brandId: plan?.brand.slug ?? facts.setting?.brand?.slug ?? brand ?? '',
      fromDomain: plan && emailDomain(plan.from.email).toLowerCase(),
      toEmail: plan?.to ?? facts.contact?.email ?? ('email' in recipient ? recipient.email : ''),
      template,
      type: kind,
      subject,
      sourceType: this.#source.type,
      sourceId,
      identity,
      journal: this.#deps.journal.id,
      failure,
      notes: identity.by === 'key' ? request.notes?.(missing) : undefined,
      variant,
      locale: plan?.locale,
      cap: kind === 'marketing' ? cap : undefined,
      window: kind === 'marketing' || window?.transactional ? window : undefined,
      maybeSubmittedAt,
      isSandboxed: isSandboxed(item),
      details,
    };
  }
}

/** Asks once for each answer, as long as nobody forgets this. */
function askedOnce<Question extends readonly unknown[], Answer>(
  ask: (...question: Question) => Promise<Answer>,
): (...question: Question) => Promise<Answer> {
  const asked: { readonly question: Question; readonly answer: Promise<Answer> }[] = [];
  return (...question) => {
    const known = asked.find((one) => one.question.every((part, at) => part === question[at]));
    if (known) return known.answer;
    const answer = ask(...question);
    asked.push({ question, answer });
    return answer;
  };
}

/** Whether a mail that was made for one of them can be given to the other. */
function isSameForm({ mail: one }: Provider, { mail: other }: Provider): boolean {
  return one.format === other.format && (one.takesSigned ?? false) === (other.takesSigned ?? false);
}

/** What the threads need of it. A copy to a reserved address has no place on the envelope, nor in a header, which some providers take for it. */
function mailDetails(details: SendDetails): MailDetails {
  const { toName, replyTo, headers, topic, cc, bcc, attachments } = details;
  const going = (copies: readonly Mailbox[]) => copies.filter(({ email }) => !isLeftOut(details, email) && !isSandboxAddress(email));
  return {
    ...(toName === undefined ? {} : { toName }),
    ...(replyTo && { replyTo }),
    ...(headers && { headers }),
    ...(topic === undefined ? {} : { topic }),
    ...(cc && { cc: going(cc) }),
    ...(bcc && { bcc: going(bcc) }),
    ...(attachments && { attachments }),
    ...(copiesGoing(details).some(playsClicked) && { isClicked: true }),
  };
}

function factsQuery({ projectId, template, recipient, brand, identity }: MailRequest): FactsQuery {
  return { projectId, template, recipient, brand, identity };
}
