import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { findLinkedContacts, findLinkedTest, type LinkedContact, type LinkedTest } from '../../../db/queries/contacts/unsubscribe-links.ts';
import { isUnsubscribeToken, NOBODY } from '../../../domain/contacts/unsubscribe-token.ts';
import type { Vault } from '../../../domain/projects/crypto.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { resubscribeContact } from '../../../usecases/contacts/resubscribe.ts';
import { unsubscribeContact } from '../../../usecases/contacts/unsubscribe.ts';
import * as examples from '../../examples/contact-examples.ts';
import { badLinkPage, type PageContent, page } from '../../pages/html-page.ts';
import { type Language, languageFor, type PageText } from '../../pages/page-texts.ts';
import { type Answer, defineRoute, type PublicContext, type Route } from '../../route.ts';
import { Id } from '../../schemas.ts';

/** Nothing in a link is refused as such: whatever is wrong with it gets the same page. */
const LinkQuery = z.object({
  c: z.string().catch('').meta({ description: 'The contact' }),
  t: z.string().catch('').meta({ description: 'Its token' }),
  s: z.string().optional().catch(undefined).meta({ description: 'The send that the link was in; advisory' }),
});
type LinkQuery = z.output<typeof LinkQuery>;

const PAGE = {
  scope: 'public',
  query: LinkQuery,
  status: 200,
  reply: z.string(),
  answersAs: 'text/html',
} as const;

const show = defineRoute({
  ...PAGE,
  method: 'get',
  path: '/unsubscribe',
  summary: 'Show the unsubscribe page of an email',
  description: 'A page with one button; changes nothing. A link that is not right gets a 400 page.',
  examples: examples.showUnsubscribe,
  async handle(context, { query }) {
    const link = await readLink(context, query);
    if (!link) return testMailPage(context, query);
    if (link.contact.status === 'unsubscribed') return unsubscribedPage(link);
    const button = { label: link.text('unsubscribe'), action: link.pathTo('unsubscribe') };
    return linkPage(link, 'askTitle', ['askText'], button);
  },
});

const unsubscribe = defineRoute({
  ...PAGE,
  method: 'post',
  path: '/unsubscribe',
  summary: 'Unsubscribe by the link of an email (RFC 8058)',
  description: 'Takes any body, unread. Answers with a page that has a way back. A link that is not right gets a 400 page.',
  examples: examples.unsubscribeByLink,
  async handle(context, { query }) {
    const link = await readLink(context, query);
    if (!link) return testMailPage(context, query);
    const { id, project_id: projectId, send_id: sendId } = link.contact;
    const how = changedBy(link, context);
    await context.em.transactional((tx: EntityManager) => unsubscribeContact(tx, { projectId, id, sendId }, how));
    return unsubscribedPage(link);
  },
});

const resubscribe = defineRoute({
  ...PAGE,
  method: 'post',
  path: '/resubscribe',
  summary: 'Take an unsubscribe back, with the same link',
  description: 'Takes any body, unread. A suppression stays, and so does a bounce. A link that is not right gets a 400 page.',
  examples: examples.resubscribe,
  async handle(context, { query }) {
    const link = await readLink(context, query);
    if (!link) return testMailPage(context, query);
    const { id, project_id: projectId } = link.contact;
    const how = changedBy(link, context);
    const status = await context.em.transactional((tx: EntityManager) => resubscribeContact(tx, { projectId, id }, how));
    const button = { label: link.text('unsubscribe'), action: link.pathTo('unsubscribe'), isQuiet: true };
    if (status === 'bounced') return linkPage(link, 'bouncedTitle', ['bouncedText', 'bouncedAdvice'], button);
    if (status === 'pending') return linkPage(link, 'pendingTitle', ['pendingText'], button);
    if (link.contact.is_suppressed) return linkPage(link, 'blockedTitle', ['blockedText', 'blockedAdvice'], button);
    return linkPage(link, 'againTitle', ['againText'], button);
  },
});

interface Link {
  readonly contact: LinkedContact;
  /** The same link on another page. */
  pathTo(name: 'unsubscribe' | 'resubscribe'): string;
  readonly language: Language;
  /** In the contact's language, with its address and brand. */
  text(name: PageText): string;
}

function linkPage(
  { contact, language, text }: Link,
  title: PageText,
  paragraphs: readonly PageText[],
  button: NonNullable<PageContent['button']>,
): Answer {
  return page(200, { language, title: text(title), paragraphs: paragraphs.map(text), button, brand: brandOf(contact) });
}

/** undefined when the token is not that of this contact, whether or not there is one. */
async function readLink({ em, vault, publicUrl }: PublicContext, { c, t, s }: LinkQuery): Promise<Link | undefined> {
  const id = Id.safeParse(c);
  if (!id.success) return undefined;
  const candidates = await findLinkedContacts(em, id.data, Id.safeParse(s).data);
  const contact = candidates.find((candidate) => isUnsubscribeToken(linkSecret(vault, candidate), id.data, t));
  if (!contact) return undefined;
  const { pathname } = new URL(publicUrl);
  const query = `c=${id.data}&t=${t}${contact.send_id ? `&s=${contact.send_id}` : ''}`;
  const language = languageFor(contact.locale);
  const names = { email: contact.email, brand: contact.brand_name };
  return {
    contact,
    pathTo: (name) => `${pathname.replace(/\/$/, '')}/api/v1/${name}?${query}`,
    language,
    text: (name) => language.text(name, names),
  };
}

function linkSecret(vault: Vault, { project_id, sealed_link_secret }: Pick<LinkedContact, 'project_id' | 'sealed_link_secret'>): Buffer {
  return vault.open(sealed_link_secret, sealedOf.linkSecret(project_id));
}

/** The link of a test mail is about nobody, so only its send tells the project whose secret signed it. */
async function testMailPage({ em, vault }: PublicContext, { c, t, s }: LinkQuery): Promise<Answer> {
  const sendId = Id.safeParse(s).data;
  const test = c === NOBODY && sendId ? await findLinkedTest(em, sendId) : undefined;
  if (!test || !isUnsubscribeToken(linkSecret(vault, test), NOBODY, t)) return badLinkPage();
  const language = languageFor(undefined);
  return page(200, { language, title: language.text('testTitle'), paragraphs: [language.text('testText')], brand: brandOf(test) });
}

function changedBy({ contact }: Link, { now }: PublicContext) {
  return { by: { cause: 'mail_link', id: contact.send_id } as const, now: now() };
}

function unsubscribedPage(link: Link): Answer {
  const button = { label: link.text('subscribeAgain'), action: link.pathTo('resubscribe'), isQuiet: true };
  return linkPage(link, 'doneTitle', ['doneText', 'mistake'], button);
}

function brandOf({ brand_name: name, brand_color: color }: LinkedTest) {
  return { name, color };
}

export const routes: readonly Route[] = [show, unsubscribe, resubscribe];
