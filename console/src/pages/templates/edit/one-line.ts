import type { ClipboardEvent, KeyboardEvent } from 'react';
import { typeInto } from './insertion.ts';

/** Of a text that is one line: Enter begins no other, and lines that are pasted become one, with a space between their words. */
export const ONE_LINE = {
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === 'Enter') event.preventDefault();
  },
  onPaste(event: ClipboardEvent<HTMLTextAreaElement>): void {
    const pasted = event.clipboardData.getData('text/plain');
    if (!/[\r\n]/.test(pasted)) return;
    event.preventDefault();
    const { currentTarget: field } = event;
    typeInto(field, pasted.trim().replace(/\s*[\r\n]+\s*/g, ' '), [field.selectionStart, field.selectionEnd]);
  },
};
