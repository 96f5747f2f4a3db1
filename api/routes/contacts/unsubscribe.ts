import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { listTopics } from '../../../db/queries/contacts/topics.ts';
import { findLinkedContacts, findLinkedTest, type LinkedContact, type LinkedTest } from '../../../db/queries/contacts/unsubscribe-links.ts';
import { isTopicOn, type Topic } from '../../../domain/contacts/topic.ts';
import { isUnsubscribeToken, NOBODY } from '../../../domain/contacts/unsubscribe-token.ts';
import type { Vault } from '../../../domain/projects/crypto.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { chooseContactTopics } from '../../../usecases/contacts/choose-topics.ts';
import { resubscribeContact } from '../../../usecases/contacts/resubscribe.ts';
import { leaveTopic, unsubscribeContact } from '../../../usecases/contacts/unsubscribe.ts';
import * as examples from '../../examples/contact-examples.ts';
import { apiPath, badLinkPage, type PageContent, type PageSwitch, page } from '../../pages/html-page.ts';
import { type Language, languageFor, type PageText } from '../../pages/page-texts.ts';
import { type Answer, defineRoute, type PublicContext, type Route } from '../../route.ts';
import { Id } from '../../schemas.ts';

/** Nothing in a link is refused as such: whatever is wrong with it gets the same page. */
const LinkQuery = z.object({
  c: z.string().catch('').meta({ description: 'The contact' }),
  t: z.string().catch('').meta({ description: 'Its token' }),
  s: z.string().optional().catch(undefined).meta({ description: 'The send that the link was in; advisory' }),
  topic: z.string().optional().catch(undefined).meta({ description: 'The key of the topic that it is about' }),
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
  description:
    'A page with one button, or with a switch for each topic of the project; changes nothing. A link that is not right gets a 400 page.',
  examples: examples.showUnsubscribe,
  handle: (context, { query }) => showPage(context, query),
});

const unsubscribe = defineRoute({
  ...PAGE,
  method: 'post',
  path: '/unsubscribe',
  summary: 'Unsubscribe by the link of an email (RFC 8058)',
  description:
    'Takes any body, unread. The link of an email that is of a topic leaves that topic, any other everything. Answers with a page that has a way ' +
    'back. A link that is not right gets a 400 page.',
  examples: examples.unsubscribeByLink,
  async handle(context, { query }) {
    const link = await readLink(context, query);
    if (!link) return testMailPage(context, query);
    const { id, project_id: projectId, send_id: sendId } = link.contact;
    const how = changedBy(link, context);
    const topic = topicToLeave(link);
    if (topic) {
      await context.em.transactional((tx: EntityManager) => leaveTopic(tx, { projectId, id, sendId }, topic.key, how));
      return link.contact.status === 'unsubscribed' ? unsubscribedPage(link) : leftPage(link, topic);
    }
    await context.em.transactional((tx: EntityManager) => unsubscribeContact(tx, { projectId, id, sendId }, how));
    return unsubscribedPage(link);
  },
});

const showTopics = defineRoute({
  ...PAGE,
  method: 'get',
  path: '/preferences',
  summary: 'Show the page on which a person chooses topics',
  description: 'The page of GET /unsubscribe; changes nothing.',
  examples: examples.showTopics,
  handle: (context, { query }) => showPage(context, query),
});

const turnTopic = defineRoute({
  ...PAGE,
  query: LinkQuery.extend({ on: z.string().optional().catch(undefined).meta({ description: '`true` turns it on, `false` off' }) }),
  method: 'post',
  path: '/preferences',
  summary: 'Turn a topic on or off, with the same link',
  description:
    'What the switches of the page do. Takes any body, unread. The choice is kept with the address and browser of the request, as its proof. Who has ' +
    'unsubscribed stays so. A link that is not right gets a 400 page.',
  examples: examples.turnTopic,
  async handle(context, { query }) {
    const link = await readLink(context, query);
    if (!link) return testMailPage(context, query);
    const topic = shownTopics(link).find(({ key }) => key === query.topic);
    if (!topic || (query.on !== 'true' && query.on !== 'false')) return badLinkPage();
    const { id, project_id: projectId, send_id: sendId } = link.contact;
    const how = changedBy(link, context);
    const isOn = query.on === 'true';
    await context.em.transactional((tx: EntityManager) =>
      isOn
        ? chooseContactTopics(tx, { projectId, id }, { [topic.key]: true }, how)
        : leaveTopic(tx, { projectId, id, sendId }, topic.key, how),
    );
    return link.contact.status === 'unsubscribed' ? unsubscribedPage(link) : choicesPage(withChoice(link, topic, isOn), 'saved');
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
    const below = { button, ...(link.topics.length > 0 ? { switches: switchesOf(link) } : {}) };
    if (status === 'bounced') return linkPage(link, 'bouncedTitle', ['bouncedText', 'bouncedAdvice'], { button });
    if (status === 'pending') return linkPage(link, 'pendingTitle', ['pendingText'], { button });
    if (link.contact.is_suppressed) return linkPage(link, 'blockedTitle', ['blockedText', 'blockedAdvice'], { button });
    return linkPage(link, 'againTitle', ['againText'], below);
  },
});

interface Link {
  readonly contact: LinkedContact;
  /** Of the project. */
  readonly topics: readonly Topic[];
  /** The key of the one that the mail is of, or whose switch was pressed. */
  readonly about: string | undefined;
  /** The same link on another page; `more` is the rest of its query. */
  pathTo(name: 'unsubscribe' | 'resubscribe' | 'preferences', more?: string): string;
  readonly language: Language;
  /** In the contact's language, with its address and brand. */
  text(name: PageText, topic?: string): string;
}

async function showPage(context: PublicContext, query: LinkQuery): Promise<Answer> {
  const link = await readLink(context, query);
  if (!link) return testMailPage(context, query);
  if (link.contact.status === 'unsubscribed') return unsubscribedPage(link);
  if (link.topics.length > 0) return choicesPage(link);
  const button = { label: link.text('unsubscribe'), action: link.pathTo('unsubscribe') };
  return linkPage(link, 'askTitle', ['askText'], { button });
}

function linkPage(
  { contact, language, text }: Link,
  title: PageText,
  paragraphs: readonly PageText[],
  below: Pick<PageContent, 'button' | 'switches'>,
  topic?: string,
): Answer {
  const texts = { title: text(title, topic), paragraphs: paragraphs.map((name) => text(name, topic)) };
  return page(200, { language, ...texts, ...below, brand: brandOf(contact) });
}

/** Who gets no email for another reason is told so. */
function choicesPage(link: Link, ...said: readonly PageText[]): Answer {
  const { status, is_suppressed: isSuppressed } = link.contact;
  const why: PageText[] =
    status === 'bounced' ? ['bouncedText', 'bouncedAdvice'] : isSuppressed ? ['blockedText', 'blockedAdvice'] : ['choicesText'];
  return linkPage(link, 'choicesTitle', [...said, ...why], { switches: switchesOf(link), button: leaveAll(link) });
}

/** With the way back, which is the topic's switch. */
function leftPage(link: Link, topic: Topic): Answer {
  const below = { switches: switchesOf(withChoice(link, topic, false)), button: leaveAll(link) };
  return linkPage(link, 'leftTitle', ['leftText'], below, topic.name);
}

/** The same link once the topic is so. */
function withChoice(link: Link, { key }: Topic, isOn: boolean): Link {
  return { ...link, contact: { ...link.contact, topics: { ...link.contact.topics, [key]: isOn } } };
}

function leaveAll(link: Link) {
  return { label: link.text('everything'), action: link.pathTo('unsubscribe'), isQuiet: true };
}

/** What is not offered to everybody is shown to whom it goes, and to those who chose. That of the mail comes first: it is what one came for. */
function shownTopics({ topics, about, contact: { topics: choices } }: Link): Topic[] {
  const shown = topics.filter((topic) => topic.public || Object.hasOwn(choices, topic.key) || isTopicOn(topic, choices));
  return shown.sort((a, b) => Number(b.key === about) - Number(a.key === about));
}

/** That which the link is about, as far as the page shows it, or the mail was of it. */
function topicToLeave(link: Link): Topic | undefined {
  const { about, topics, contact } = link;
  return [...shownTopics(link), ...topics.filter(({ key }) => key === contact.send_topic)].find(({ key }) => key === about);
}

function switchesOf(link: Link): PageSwitch[] {
  const { topics: choices } = link.contact;
  return shownTopics(link).map((topic) => {
    const isOn = isTopicOn(topic, choices);
    const action = link.pathTo('preferences', `topic=${topic.key}&on=${!isOn}`);
    return { name: topic.name, description: topic.description, isOn, state: link.text(isOn ? 'on' : 'off'), action };
  });
}

/** undefined when the token is not that of this contact, whether or not there is one. */
async function readLink({ em, vault, publicUrl }: PublicContext, { c, t, s, topic: about }: LinkQuery): Promise<Link | undefined> {
  const id = Id.safeParse(c);
  if (!id.success) return undefined;
  const candidates = await findLinkedContacts(em, id.data, Id.safeParse(s).data);
  const contact = candidates.find((candidate) => isUnsubscribeToken(linkSecret(vault, candidate), id.data, t));
  if (!contact) return undefined;
  const query = `c=${id.data}&t=${t}${contact.send_id ? `&s=${contact.send_id}` : ''}`;
  const language = languageFor(contact.locale);
  const names = { email: contact.email, brand: contact.brand_name };
  const topics = await listTopics(em, contact.project_id);
  return {
    contact,
    topics,
    about,
    pathTo: (name, more) => `${apiPath(publicUrl)}/${name}?${query}${more === undefined ? '' : `&${more}`}`,
    language,
    text: (name, topic) => language.text(name, topic === undefined ? names : { ...names, topic }),
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

function changedBy({ contact }: Link, { now, caller }: PublicContext) {
  const person = { ip: caller.ip, userAgent: caller.userAgent };
  return { by: { cause: 'mail_link', id: contact.send_id, person } as const, now: now() };
}

function unsubscribedPage(link: Link): Answer {
  const button = { label: link.text('subscribeAgain'), action: link.pathTo('resubscribe'), isQuiet: true };
  return linkPage(link, 'doneTitle', ['doneText', 'mistake'], { button });
}

function brandOf({ brand_name: name, brand_color: color }: LinkedTest) {
  return { name, color };
}

export const routes: readonly Route[] = [show, unsubscribe, resubscribe, showTopics, turnTopic];
