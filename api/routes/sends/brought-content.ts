import * as z from 'zod';
import { hasNoControls, NO_CONTROLS } from '../../../domain/templates/content.ts';
import { MAX_OWN_CHARACTERS, partOf } from '../../../domain/templates/own-content.ts';
import type { ComposeTemplate } from '../../../sending/compose/compose-request.ts';
import { broughtBy } from '../../../usecases/sends/call-request.ts';
import type { KeyContext } from '../../route.ts';
import { unlessInvalid } from '../../template-of-brand.ts';
import { ContentBody } from '../templates/templates.ts';

const ownText = (description: string) =>
  z
    .string()
    .min(1, { error: 'should not be empty' })
    .max(MAX_OWN_CHARACTERS, { error: `at most ${MAX_OWN_CHARACTERS} characters`, abort: true })
    .refine(hasNoControls, NO_CONTROLS)
    .nullish()
    .meta({ description });

/** What a call may give in place of a template. */
export const BROUGHT_FIELDS = {
  html: ownText('In place of a template: the page, in Liquid. It is sent as it is given; made of `text` when that is given alone'),
  text: ownText('In place of a template, or beside `html`: the text part, in Liquid; made of `html` when omitted'),
  content: ContentBody.optional().meta({ description: 'In place of a template: blocks or MJML, as templates have them' }),
};

interface BroughtBody {
  readonly template?: string | null | undefined;
  readonly html?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly content?: unknown;
  readonly subject?: string | null | undefined;
  readonly type?: string | null | undefined;
}

const WAYS = [['template'], ['html', 'text'], ['content']] as const;
const FIELDS = WAYS.flat();
type Field = (typeof FIELDS)[number];

function isGiven(body: BroughtBody, name: keyof BroughtBody): boolean {
  return body[name] != null;
}

/** Those of the three ways that a body goes. */
function waysOf(body: BroughtBody) {
  return WAYS.filter((fields) => fields.some((field: Field) => isGiven(body, field)));
}

function brings(body: BroughtBody): boolean {
  return !isGiven(body, 'template') && waysOf(body).length === 1;
}

const NOT_SEVERAL = 'either template, or html and text, or content: not several';
const REQUIRED = 'required where there is no template';
/** What has to hold, and where it is told that it does not. */
const RULES: readonly (readonly [path: string, error: string, holds: (body: BroughtBody) => boolean])[] = [
  ['template', 'required, or html, text or content in its place', (body) => waysOf(body).length > 0],
  ...FIELDS.map((field) => [field, NOT_SEVERAL, (body: BroughtBody) => !isGiven(body, field) || waysOf(body).length === 1] as const),
  ['type', REQUIRED, (body) => !brings(body) || isGiven(body, 'type')],
  ['subject', REQUIRED, (body) => !brings(body) || String(body.subject ?? '').trim() !== ''],
];

/** A mail has one content: a template's, or its own with what a template would say beside. Told together with whatever else is wrong with the body. */
export function withOneContent<S extends z.ZodObject>(body: S): S {
  const when = ({ value }: { readonly value: unknown }): boolean => value !== null && typeof value === 'object';
  return RULES.reduce((ruled, [path, error, holds]) => ruled.refine((value) => holds(value), { path: [path], error, when }), body).meta({
    oneOf: [only('template'), { anyOf: [only('html', 'text'), only('text', 'html')] }, only('content')],
  });
}

/** In the document: one way alone, and what has to stand beside it. `beside`: what may. */
function only(field: Field, beside?: Field) {
  const required = field === 'template' ? [field] : [field, 'type', 'subject'];
  const others = FIELDS.filter((other) => other !== field && other !== beside);
  const properties = [...required.map((name) => [name, { not: { type: 'null' } }]), ...others.map((name) => [name, { type: 'null' }])];
  return { required, properties: Object.fromEntries(properties) };
}

/** What renders in place of a template, and where the caller wrote it. */
export interface Brought {
  readonly content: ComposeTemplate;
  readonly writtenAt: 'html' | 'text' | 'content';
}

/** undefined: the body names a template. Throws the `invalid_content` of what cannot be compiled. */
export async function broughtContent(
  { contents, project }: Pick<KeyContext, 'contents' | 'project'>,
  body: BroughtBody,
): Promise<Brought | undefined> {
  const asked = broughtBy(body);
  if (!asked) return undefined;
  const content = unlessInvalid(await contents.ready(project.id, asked));
  return { content, writtenAt: 'blocks' in asked ? 'content' : partOf(asked) };
}
