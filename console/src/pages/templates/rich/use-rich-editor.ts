import { Editor } from '@tiptap/core';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type Insertion, LEAF, offerVariables, TYPED } from '../edit/insertion.ts';
import { readMarkup } from './markup.ts';
import { documentOf, paragraphsOf } from './rich-document.ts';
import { richExtensions } from './rich-schema.ts';
import { writeMarkup } from './write-markup.ts';

interface Given {
  readonly label: string;
  /** Markup. */
  readonly value: string;
  readonly onChange: (markup: string) => void;
  /** An address is asked for. */
  readonly onLink: () => void;
  readonly isFocused?: boolean;
  /** Of the element that says what is wrong. */
  readonly problemId?: string;
}

interface RichEditor {
  /** Of the element that it is put into. */
  readonly host: (element: HTMLElement | null) => void;
  /** undefined: there is no element yet. */
  readonly editor: Editor | undefined;
}

/** Edits markup as what it says: bold is seen as bold, and what is not changed stays as it is written. */
export function useRichEditor({ label, value, onChange, onLink, isFocused = false, problemId }: Given): RichEditor {
  const [host, setHost] = useState<HTMLElement | null>(null);
  const [editor, setEditor] = useState<Editor>();
  const [, setShown] = useState(0);
  /** The markup that is shown. */
  const shown = useRef(value);
  const told = useEffectEvent((made: Editor) => {
    const { head, tail } = readMarkup(shown.current);
    const markup = writeMarkup({ paragraphs: paragraphsOf(made.getJSON()), head, tail });
    if (markup === shown.current) return;
    shown.current = markup;
    onChange(markup);
  });
  const link = useEffectEvent(onLink);
  useEffect(() => {
    if (!host) return;
    const made: Editor = new Editor({
      element: host,
      // Its styles are those of the page, whose policy takes no others.
      injectCSS: false,
      extensions: richExtensions({ onLink: () => link(), onBraces: () => offerVariables(insertionOf(made)) }),
      content: documentOf(readMarkup(shown.current)),
      autofocus: isFocused ? 'end' : false,
      onUpdate: () => told(made),
      onTransaction: () => {
        setShown((count) => count + 1);
        document.dispatchEvent(new Event(TYPED));
      },
    });
    setEditor(made);
    return () => made.destroy();
  }, [host, isFocused]);
  useEffect(() => {
    editor?.setOptions({
      editorProps: {
        attributes: {
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-label': label,
          ...(problemId && { 'aria-invalid': 'true', 'aria-describedby': problemId }),
        },
      },
    });
  }, [editor, label, problemId]);
  useEffect(() => {
    if (!editor || value === shown.current) return;
    shown.current = value;
    const { from, to } = editor.state.selection;
    editor.commands.setContent(documentOf(readMarkup(value)), { emitUpdate: false });
    const end = editor.state.doc.content.size - 1;
    editor.commands.setTextSelection({ from: Math.min(from, end), to: Math.min(to, end) });
  }, [editor, value]);
  return { host: setHost, editor };
}

/** Where the caret is, for the picker of variables. */
export function insertionOf(editor: Editor): Insertion {
  return {
    element: editor.view.dom,
    place: () => editor.view.coordsAtPos(editor.state.selection.from),
    before() {
      const { $from, empty } = editor.state.selection;
      return empty && editor.view.hasFocus() ? $from.parent.textBetween(0, $from.parentOffset, undefined, LEAF) : undefined;
    },
    insert(text, replaced = 0) {
      const { tr, schema, selection, storedMarks } = editor.state;
      const { $from, $to, empty } = selection;
      const [from, to] = [$from.pos - replaced, $to.pos];
      const marks = storedMarks ?? (empty ? $from.marks() : ($from.marksAcross($to) ?? []));
      const isLiquid = /^\{\{.+\}\}$/.test(text);
      editor.view.dispatch(
        isLiquid ? tr.replaceWith(from, to, schema.nodes.liquid!.create({ source: text }, null, marks)) : tr.insertText(text, from, to),
      );
      editor.commands.focus();
    },
  };
}
