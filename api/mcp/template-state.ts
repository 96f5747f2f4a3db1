import { Refusal } from '../../domain/errors.ts';
import { pathOf } from './own-calls.ts';
import type { ToolContext } from './tool.ts';

interface Entry {
  readonly key: string;
  readonly type: string;
  readonly enabled: boolean;
  readonly subject: string;
  readonly from: unknown;
}
interface Language {
  readonly locale: string | null;
  readonly published: { readonly version: number; readonly subject: string | null } | null;
}

interface Brand {
  readonly slug: string;
  readonly name: string;
  readonly from_email: string | null;
  readonly from_name: string | null;
  readonly reply_to: string | null;
  readonly is_default: boolean;
}

/** Whom an email is from, for people to read. */
export interface ShownSender {
  readonly from: unknown;
  readonly replyTo: string | null;
}

/** What an email of a template says and whom it is from, as far as others may change it: by its published versions, not by their texts. */
export interface TemplateState {
  readonly entry: Entry;
  /** Of all brands, since a sender that no template has is that of a brand, with all that emails show of it. */
  readonly brands: readonly Brand[];
  readonly published: readonly { readonly locale: string | null; readonly version: number; readonly subject: string | null }[];
}

/** All templates and brands, read once for several states. */
export interface Listed {
  readonly templates: readonly Entry[];
  readonly brands: readonly Brand[];
}

export async function listed({ ask }: Pick<ToolContext, 'ask'>, brand: string | undefined): Promise<Listed> {
  const { templates } = await ask<{ templates: Entry[] }>({ method: 'GET', path: '/templates', query: { brand } });
  const { brands } = await ask<{ brands: Brand[] }>({ method: 'GET', path: '/brands' });
  return { templates, brands };
}

/** As it is now. Throws RouteRefused for a template that the project does not have. */
export async function templateState(
  context: Pick<ToolContext, 'ask'>,
  key: string,
  brand: string | undefined,
  known?: Listed,
): Promise<TemplateState> {
  const { ask } = context;
  const { languages } = await ask<{ languages: Language[] }>({
    method: 'GET',
    path: pathOf`/templates/${key}/languages`,
    query: { brand },
  });
  const { templates, brands } = known ?? (await listed(context, brand));
  const entry = templates.find((template) => template.key === key);
  if (!entry) throw new Refusal('unknown_template', 'this project has no such template');
  const { type, enabled, subject, from } = entry;
  const published = languages.map(({ locale, published: of }) => ({ locale, version: of?.version ?? 0, subject: of?.subject ?? null }));
  return { entry: { key, type, enabled, subject, from }, brands, published };
}

/** Whom emails of it are from, with the brand that was named. */
export function senderOf({ entry, brands }: TemplateState, slug: string | undefined): ShownSender {
  const brand = brands.find((one) => (slug === undefined ? one.is_default : one.slug === slug));
  const ofBrand = brand?.from_email ? { email: brand.from_email, name: brand.from_name ?? brand.name } : null;
  return { from: entry.from ?? ofBrand ?? 'nobody: the brand has no sender, so nothing can go', replyTo: brand?.reply_to ?? null };
}

/** How one email of it looks. */
export interface Rendered {
  readonly subject: string;
  readonly text: string;
  readonly missing: readonly string[];
}

/** Characters of the text that are read back. */
const TEXT_SHOWN = 600;

/** As a send would render it. `body`: of the route that previews. */
export async function renderPublished(
  { ask }: Pick<ToolContext, 'ask'>,
  key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Rendered> {
  const path = pathOf`/templates/${key}/preview`;
  const shown = await ask<{ subject: string; text: string; missing?: string[] }>({
    method: 'POST',
    path,
    body: { ...body, version: 'published' },
  });
  return { subject: shown.subject, text: shown.text.slice(0, TEXT_SHOWN), missing: shown.missing ?? [] };
}
