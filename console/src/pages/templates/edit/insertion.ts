/** Where plain text is typed. */
export type Field = HTMLInputElement | HTMLTextAreaElement;

/** Where something is put into a text that is edited. */
export interface Insertion {
  /** On the screen, in pixels: what is typed there should stay in sight. */
  readonly place: () => { readonly left: number; readonly top: number; readonly bottom: number };
  /** In the place of what is selected. The keyboard goes on behind it. */
  readonly insert: (text: string) => void;
}

export const ASKED = 'ask-for-variable';

/** What is asked of the picker of variables. */
export interface AskedVariable {
  readonly into: Insertion;
  /** What comes back where nothing is chosen. */
  readonly typed: string;
}

/** Opens the picker of variables, as typing `{{` does. */
export function askForVariable(into: Insertion, typed = ''): void {
  document.dispatchEvent(new CustomEvent<AskedVariable>(ASKED, { detail: { into, typed } }));
}

/** At the caret of a field. */
export function insertionInto(field: Field): Insertion {
  return {
    place: () => field.getBoundingClientRect(),
    insert(text) {
      const caret = field.selectionStart ?? field.value.length;
      typeInto(field, text, [caret, field.selectionEnd ?? caret]);
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
