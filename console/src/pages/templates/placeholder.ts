import type { TemplateContent } from './template-queries.ts';

/** The text of a template that was made here, until its author writes another. */
export const PLACEHOLDER = 'Write your message here.';

/** Of a mail that still has it. */
export const STILL_PLACEHOLDER = `The email still says “${PLACEHOLDER}”`;

/** Whether the content still has the text that it was made with. */
export function hasPlaceholder(content: TemplateContent): boolean {
  return 'blocks' in content && content.blocks.some((block) => block.type === 'text' && block.text === PLACEHOLDER);
}
