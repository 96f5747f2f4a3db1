/** Where plain text is typed. */
export type Field = HTMLInputElement | HTMLTextAreaElement;

/** Where something is put into a text that is edited. */
export interface Insertion {
  /** What has the keyboard. */
  readonly element: HTMLElement;
  /** On the screen, in pixels: what is typed there should stay in sight. */
  readonly place: () => { readonly left: number; readonly top: number; readonly bottom: number };
  /** The text up to the caret; undefined: there is no caret, or the keyboard is elsewhere. */
  readonly before: () => string | undefined;
  /** In the place of what is selected, and of so many characters before it. The keyboard goes on behind it. */
  readonly insert: (text: string, replaced?: number) => void;
}

/** Stands for what is no text within one, which has the length of one character. */
export const LEAF = '\ufffc';

/** A variable is to be chosen from a dialog. */
export const ASKED = 'ask-for-variable';
/** `{{` was typed. */
export const BEGUN = 'variable-begun';
/** A text that is no field is another, or its caret is elsewhere. */
export const TYPED = 'text-typed';

/** Opens the dialog that has the variables. */
export function askForVariable(into: Insertion): void {
  document.dispatchEvent(new CustomEvent<Insertion>(ASKED, { detail: into }));
}

/** Offers variables below what is typed. */
export function offerVariables(into: Insertion): void {
  document.dispatchEvent(new CustomEvent<Insertion>(BEGUN, { detail: into }));
}

/** At the caret of a field. */
export function insertionInto(field: Field): Insertion {
  return {
    element: field,
    place: () => field.getBoundingClientRect(),
    before() {
      const { selectionStart: caret, selectionEnd, value } = field;
      const isThere = document.activeElement === field && caret !== null && caret === selectionEnd;
      return isThere ? value.slice(0, caret) : undefined;
    },
    insert(text, replaced = 0) {
      const caret = field.selectionStart ?? field.value.length;
      typeInto(field, text, [caret - replaced, field.selectionEnd ?? caret]);
    },
  };
}

/** Puts a text in the place of another, as if it was typed. */
export function typeInto(field: Field, text: string, [start, end]: readonly [number, number]): void {
  field.focus();
  field.setRangeText(text, start, end, 'end');
  // React hears of it as of what is typed.
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
