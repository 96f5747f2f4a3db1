import * as z from 'zod';
import { Refusal } from '../../../domain/errors.ts';
import { confirmationToken, readConfirmation } from '../confirmation.ts';
import { pathOf } from '../own-calls.ts';
import { nameOf } from '../reason-words.ts';
import { type Listed, listed, senderOf, type TemplateState, templateState } from '../template-state.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { Token, tokenWords } from './confirming.ts';
import { type Graph, SequenceKey } from './sequences.ts';
import { counted } from './shared.ts';

/** Brands whose templates are read: an email that names none is of the brand of the contact whom it is to. */
const MOST_BRANDS_READ = 10;

/** An email of a sequence, as each brand sends it that its contacts may have. */
interface Mail {
  readonly template: string;
  /** Of the step, which goes before that of a brand. */
  readonly subject: string | undefined;
  /** Where neither has one. */
  readonly shippedSubject: string | undefined;
  /** The default first, or the one that the step names. */
  readonly states: readonly { readonly brand: string; readonly state: TemplateState }[];
}

/** What decides what an activation does. */
async function activation(context: ToolContext, key: string) {
  const { ask } = context;
  const graph = await ask<Graph & { ok?: unknown }>({ method: 'GET', path: pathOf`/sequences/${key}` });
  const { sequences } = await ask<{ sequences: { key: string; enrollments: { active: number } }[] }>({ method: 'GET', path: '/sequences' });
  const held = sequences.find((one) => one.key === key)?.enrollments.active ?? 0;
  const { brands } = await ask<{ brands: { slug: string }[] }>({ method: 'GET', path: '/brands' });
  const slugs = brands.slice(0, MOST_BRANDS_READ).map(({ slug }) => slug);
  const reading = statesOfBrands(context);
  const mails: Mail[] = [];
  for (const { template, subject, brand } of mailsIn(graph)) {
    const states: { brand: string; state: TemplateState }[] = [];
    for (const of of brand === undefined ? slugs : [brand]) states.push({ brand: of, state: await reading(template, of) });
    const isUnset = !subject && states.some(({ state }) => !state.entry.subject);
    mails.push({ template, subject, shippedSubject: isUnset ? await shippedSubjectOf(context, template) : undefined, states });
  }
  const isOfContacts = mailsIn(graph).some(({ brand }) => brand === undefined);
  const brandsNotRead = isOfContacts ? brands.length - slugs.length : 0;
  return { graph, held, mails, brandsNotRead, content: { key, version: graph.version, status: graph.status, held, mails } };
}

/** The emails that steps name, each once. */
function mailsIn({ nodes }: Graph): readonly { readonly template: string; readonly subject?: string; readonly brand?: string }[] {
  const found = nodes.flatMap(({ kind, config = {} }) => {
    const { template, subject, brand } = config;
    if (kind !== 'send_email' || typeof template !== 'string') return [];
    return [{ template, ...(typeof subject === 'string' && subject ? { subject } : {}), ...(typeof brand === 'string' ? { brand } : {}) }];
  });
  return [...new Map(found.map((mail) => [JSON.stringify(mail), mail])).values()];
}

async function shippedSubjectOf({ ask }: ToolContext, template: string): Promise<string> {
  return (await ask<{ subject: string }>({ method: 'GET', path: pathOf`/templates/${template}/schema` })).subject;
}

/** Reads the list of each brand once. */
function statesOfBrands(context: ToolContext): (template: string, brand: string) => Promise<TemplateState> {
  const lists = new Map<string, Promise<Listed>>();
  return async (template, brand) => {
    const known = lists.get(brand) ?? listed(context, brand);
    lists.set(brand, known);
    return templateState(context, template, brand, await known);
  };
}

/** An email as one brand sends it. Version 0: as the template ships. */
function ofBrand({ subject, shippedSubject }: Mail, { brand, state }: Mail['states'][number]) {
  const { entry, published } = state;
  const ofDefault = published.find(({ locale }) => locale === null);
  return {
    brand,
    enabled: entry.enabled,
    subject: subject || entry.subject || shippedSubject,
    version: ofDefault?.version ?? 0,
    languages: published.filter(({ locale, version }) => locale !== null && version > 0).map(({ locale }) => locale),
    ...senderOf(state, brand),
  };
}

/** The email of the default brand, and those of brands that send another. Contents are not compared: a brand that has published one sends another. */
function shownMail(mail: Mail) {
  const [first, ...others] = mail.states.map((one) => ofBrand(mail, one));
  const isAsIn = ({ brand: _, ...one }: NonNullable<typeof first>): string => JSON.stringify(one);
  const isOwn = (one: NonNullable<typeof first>): boolean =>
    one.version > 0 || one.languages.length > 0 || !first || isAsIn(one) !== isAsIn(first);
  return { template: mail.template, ...first, otherBrands: others.filter(isOwn) };
}

const prepareActivation = defineTool({
  name: 'prepare_sequence_activation',
  title: 'Read back what an activation does',
  description:
    'Reads back what would happen if a sequence were activated: its version, its triggers, the template, subject and sender of its emails, for each brand that has its own, and how many runs are held and would go on. Show that to the user; its confirmation token is for activate_sequence. Changes nothing.',
  kind: 'act',
  scopes: ['sequences:write', 'sequences:read', 'templates:read'],
  input: z.object({ sequence: SequenceKey }),
  isIdempotent: true,
  async run(context, { sequence }) {
    const { graph, held, mails, brandsNotRead, content } = await activation(context, sequence);
    if (graph.status === 'active') throw new Refusal('invalid_status', 'this sequence is active');
    const steps = graph.nodes.filter(({ kind }) => kind === 'send_email').length;
    const emails = mails.map(shownMail);
    const differing = emails.filter(({ otherBrands }) => otherBrands.length > 0).length;
    const off = emails.flatMap(({ enabled, otherBrands }) => [enabled, ...otherBrands.map((other) => other.enabled)]).filter((is) => !is);
    const token = confirmationToken(
      context.vault,
      context.key,
      { act: 'activate_sequence', content, count: held, version: graph.version },
      { now: context.now(), id: context.newId() },
    );
    const says = [
      `The sequence is ${nameOf(graph.status)}, at version ${graph.version}, with ${counted(steps, 'email')} in ${counted(graph.nodes.length, 'node')}.`,
      `Activated, it enrolls by the triggers of data, and ${counted(held, 'run that is held goes', 'runs that are held go')} on.`,
      ...(differing > 0
        ? [
            `A contact gets the email of its own brand: ${counted(differing, 'email is', 'emails are')} another in some brand, see \`otherBrands\` of data.`,
          ]
        : []),
      ...(off.length > 0
        ? [`Its template is switched off, so nothing would go, ${counted(off.length, 'time')}: see \`enabled\` of data.`]
        : []),
      ...(brandsNotRead > 0
        ? [`Of ${counted(brandsNotRead, 'further brand')} nothing was read: the token holds without what contacts of those get.`]
        : []),
      ...tokenWords(token, 'activate_sequence'),
    ];
    return { says, data: { name: (graph as { name?: unknown }).name, triggers: graph.triggers ?? [], emails } };
  },
});

const activateSequence = defineTool({
  name: 'activate_sequence',
  title: 'Activate a sequence',
  description:
    'Activate a sequence: it enrolls people and sends from now on. Needs the token of prepare_sequence_activation, which the user has agreed to.',
  kind: 'act',
  scopes: ['sequences:write', 'sequences:read', 'templates:read'],
  input: z.object({ sequence: SequenceKey, confirmationToken: Token }),
  isDestructive: true,
  isIdempotent: true,
  async run(context, { sequence, confirmationToken: token }) {
    const confirmed = readConfirmation(context.vault, context.key, 'activate_sequence', token, context.now());
    const { graph, content } = await activation(context, sequence);
    if (graph.status === 'active' && graph.version === confirmed.version) return { says: ['The sequence is active.'] };
    confirmed.demandSame(content);
    const answer = await context.ask<object>({ method: 'PATCH', path: pathOf`/sequences/${sequence}`, body: { status: 'active' } });
    return { says: ['The sequence is active.'], data: answer };
  },
});

export const tools = [prepareActivation, activateSequence];
