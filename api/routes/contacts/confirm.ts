import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { findLinkedConfirmation, type LinkedConfirmation } from '../../../db/queries/contacts/confirmations.ts';
import { isConfirmToken } from '../../../domain/contacts/confirm-token.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { confirmContact } from '../../../usecases/contacts/confirm-contact.ts';
import * as examples from '../../examples/contact-examples.ts';
import { apiPath, badLinkPage, page } from '../../pages/html-page.ts';
import { type Language, languageFor, type PageText } from '../../pages/page-texts.ts';
import { type Answer, defineRoute, type PublicContext, type Route } from '../../route.ts';
import { Id } from '../../schemas.ts';

/** Nothing in a link is refused as such: whatever is wrong with it gets the same page. */
const LinkQuery = z.object({
  c: z.string().catch('').meta({ description: 'The confirmation' }),
  t: z.string().catch('').meta({ description: 'Its token' }),
});
type LinkQuery = z.output<typeof LinkQuery>;

const PAGE = {
  scope: 'public',
  path: '/confirm',
  query: LinkQuery,
  status: 200,
  reply: z.string(),
  answersAs: 'text/html',
} as const;

const show = defineRoute({
  ...PAGE,
  method: 'get',
  summary: 'Show the page on which a person confirms a sign-up',
  description: 'A page with one button; changes nothing. A link that is not right gets a 400 page.',
  examples: examples.showConfirm,
  async handle(context, { query }) {
    const link = await readLink(context, query);
    return link ? pageOf(link) : badLinkPage();
  },
});

const confirm = defineRoute({
  ...PAGE,
  method: 'post',
  summary: 'Confirm a sign-up by the link of its email',
  description:
    'What the button of the page does. Takes any body, unread. The contact is `subscribed`, with the address and browser of the request and the words ' +
    'of the page as its proof; `contact.confirmed` is told, and comes as an event by which sequences are entered. Asked again it changes nothing. A ' +
    'link that is not right gets a 400 page.',
  examples: examples.confirm,
  async handle(context, { query }) {
    const link = await readLink(context, query);
    if (!link) return badLinkPage();
    const { ip, userAgent } = context.caller;
    const by = { ip, userAgent, shownText: [...askedTexts(link), link.text('confirm')].join('\n') };
    const isSubscribed = await context.em.transactional((tx: EntityManager) =>
      confirmContact(tx, link.confirmation, { by, now: context.now(), newId: context.newId }),
    );
    return answered(link, isSubscribed);
  },
});

interface Link {
  readonly confirmation: LinkedConfirmation;
  /** The same link. */
  readonly path: string;
  readonly language: Language;
  /** In the contact's language, with its address and brand. */
  text(name: PageText): string;
}

async function readLink({ em, vault, publicUrl }: PublicContext, { c, t }: LinkQuery): Promise<Link | undefined> {
  const id = Id.safeParse(c);
  const confirmation = id.success ? await findLinkedConfirmation(em, id.data) : undefined;
  if (!confirmation) return undefined;
  const { project_id: projectId, sealed_link_secret: sealed, email, brand_name: brand, locale } = confirmation;
  if (!isConfirmToken(vault.open(sealed, sealedOf.linkSecret(projectId)), confirmation.id, t)) return undefined;
  const language = languageFor(locale);
  const path = `${apiPath(publicUrl)}/confirm?c=${confirmation.id}&t=${t}`;
  return { confirmation, path, language, text: (name) => language.text(name, { email, brand }) };
}

function pageOf(link: Link): Answer {
  const { status, state } = link.confirmation;
  const isOpen = status === 'pending' && (state === 'waiting' || state === 'expired');
  if (!isOpen) return answered(link, status === 'subscribed');
  const [title = '', ...paragraphs] = askedTexts(link);
  return page(200, { ...given(link), title, paragraphs, button: { label: link.text('confirm'), action: link.path } });
}

/** What the person agrees to: the title of the page, then its paragraphs. */
function askedTexts({ text }: Link): string[] {
  return [text('confirmTitle'), text('confirmText'), text('confirmNot')];
}

function answered(link: Link, isSubscribed: boolean): Answer {
  const [title, ...paragraphs]: [PageText, ...PageText[]] = isSubscribed ? ['confirmedTitle', 'confirmedText'] : ['overTitle', 'overText'];
  return page(200, { ...given(link), title: link.text(title), paragraphs: paragraphs.map(link.text) });
}

function given({ language, confirmation: { brand_name: name, brand_color: color } }: Link) {
  return { language, brand: { name, color } };
}

export const routes: readonly Route[] = [show, confirm];
