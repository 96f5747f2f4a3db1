import { compileContent } from '../../../domain/templates/compile.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';
import { type RenderedMail, renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { BRAND, CONTACT, NOW } from './fixtures.ts';

/** What a mail is rendered with beside its blocks. */
export interface Given {
  readonly data?: Record<string, unknown>;
  readonly subject?: string;
  readonly marketing?: boolean;
  readonly preheader?: string;
}

/** A mail of these blocks to the contact of the fixtures. */
export async function render(blocks: readonly unknown[], given: Given = {}): Promise<RenderedMail> {
  const parsed = parseContent({ blocks, ...(given.preheader && { preheader: given.preheader }) });
  if (parsed.issues) throw new Error(JSON.stringify(parsed.issues));
  const variables = mailVariables({
    data: given.data,
    contact: CONTACT,
    brand: BRAND,
    recipientEmail: CONTACT.email,
    unsubscribeUrl: given.marketing ? 'https://mail.example.com/unsubscribe?c=1&t=2' : undefined,
    now: NOW,
  });
  return renderMail(await compileContent(parsed.content), {
    subject: given.subject ?? 'Hello',
    variables,
    type: given.marketing ? 'marketing' : 'transactional',
  });
}

/** A block of text. */
export const text = (source: string): unknown => ({ type: 'text', text: source });

/** The content between header and footer of a plain-text part. */
export async function bodyText(source: string, data: Record<string, unknown> = {}): Promise<string> {
  return (await render([text(source)], { data })).text.split('\n\n-- \n')[0]!;
}
