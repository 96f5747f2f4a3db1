/** What a call gives in place of a template: a page, a text, or both, in Liquid. */
export interface OwnContent {
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  /** It is no Liquid: `{{` of it is sent as it stands. */
  readonly isLiteral?: boolean;
}

/** Of each of the two. */
export const MAX_OWN_CHARACTERS = 500_000;

/** Of which of them is told what cannot be told of one. */
export function partOf({ html }: OwnContent): 'html' | 'text' {
  return html === undefined ? 'text' : 'html';
}

/** The Liquid of a subject that is to be sent as it stands. */
export function literalSubject(subject: string): string {
  return subject.replace(/\{(?=[{%])/g, '{{ "{" }}');
}
