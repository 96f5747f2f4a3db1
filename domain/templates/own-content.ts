/** What a call gives in place of a template: a page, a text, or both, in Liquid. */
export interface OwnContent {
  readonly html?: string | undefined;
  readonly text?: string | undefined;
}

/** Of each of the two. */
export const MAX_OWN_CHARACTERS = 500_000;

/** Of which of them is told what cannot be told of one. */
export function partOf({ html }: OwnContent): keyof OwnContent {
  return html === undefined ? 'text' : 'html';
}
