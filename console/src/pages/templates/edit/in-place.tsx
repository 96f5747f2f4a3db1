import { Box, Group, Textarea } from '@mantine/core';
import { IconBraces, IconCheck, IconLetterT, IconPalette } from '@tabler/icons-react';
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import richClasses from '../rich/rich.module.css';
import { RichBar } from '../rich/rich-bar.tsx';
import { useRichEditor } from '../rich/use-rich-editor.ts';
import type { Block } from '../template-queries.ts';
import type { BlockPlace } from './block-places.ts';
import { askForVariable, insertionInto } from './insertion.ts';
import { asList, asText } from './list-or-text.ts';
import { ONE_LINE } from './one-line.ts';
import classes from './preview-blocks.module.css';
import { type TextField, textField } from './text-field.ts';
import { Tool } from './tool.tsx';

/** Of a mail, beside its texts, in pixels. */
const SIDE = 24;

/** The form has bars, too. */
const BAR = 'Format in the preview';

interface Given {
  readonly block: Block;
  readonly place: BlockPlace;
  readonly scheme: 'light' | 'dark';
  /** What the bar is put into, where it covers nothing of the mail. */
  readonly bar: HTMLElement | null;
  readonly onChange: (block: Block) => void;
  /** Shows how the block looks, to be changed. */
  readonly onStyle: () => void;
  /** `isByKey`: the keyboard goes on at the block. */
  readonly onEnd: (isByKey: boolean) => void;
}

/** The text of a block, typed where the mail has it. */
export function InPlace({ block, place, scheme, onEnd, ...given }: Given): ReactNode {
  const field = textField(block);
  if (!field) return null;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onEnd(true);
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void => {
    // The bar is a part of it, and so is to choose a variable.
    if (currentTarget.contains(relatedTarget) || relatedTarget?.closest('[role="dialog"], [data-format]')) return;
    if (document.hasFocus()) onEnd(false);
  };
  const end = (): void => onEnd(true);
  return (
    <Box
      role="group"
      aria-label={`${field.label}, in the preview`}
      className={classes.edited}
      style={{ left: place.left, top: place.top, width: place.width, minHeight: place.height }}
      data-scheme={scheme}
      onBlur={onBlur}
      onKeyDown={onKeyDown}
    >
      {block.type === 'text' ? (
        <RichPlace {...given} block={block} field={field} onEnd={end} />
      ) : (
        <PlainPlace {...given} block={block} field={field} onEnd={end} />
      )}
    </Box>
  );
}

interface PlaceGiven<B extends Block = Block> extends Pick<Given, 'bar' | 'onChange' | 'onStyle'> {
  readonly block: B;
  readonly field: TextField;
  readonly onEnd: () => void;
}

function RichPlace({ block, field, bar, onChange, onStyle, onEnd }: PlaceGiven<Block & { readonly type: 'text' }>): ReactNode {
  const [asksLink, setAsksLink] = useState(false);
  const { host, editor } = useRichEditor({
    label: field.label,
    value: field.text,
    onChange: (markup) => onChange(field.with(markup)),
    onLink: () => setAsksLink(true),
    isFocused: true,
  });
  return (
    <>
      {editor ? (
        <Bar into={bar}>
          <RichBar label={BAR} editor={editor} asksLink={asksLink} onAskLink={setAsksLink} onMakeList={() => onChange(asList(block))}>
            <LastTools onStyle={onStyle} onEnd={onEnd} />
          </RichBar>
        </Bar>
      ) : null}
      <div ref={host} className={`${classes.text} ${richClasses.text}`} style={{ padding: paddingOf(block), textAlign: alignOf(block) }} />
    </>
  );
}

/** Of blocks whose text has no marks. */
function PlainPlace({ block, field, bar, onChange, onStyle, onEnd }: PlaceGiven): ReactNode {
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => input.current?.setSelectionRange(input.current.value.length, input.current.value.length), []);
  return (
    <>
      <Bar into={bar}>
        <Group gap={2} wrap="nowrap" role="toolbar" aria-label={BAR}>
          {block.type === 'list' ? (
            <Tool label="Turn into text" icon={<IconLetterT size={16} />} onClick={() => onChange(asText(block))} />
          ) : null}
          <Tool
            label="Insert a variable"
            keys="{{"
            icon={<IconBraces size={16} />}
            onClick={() => input.current && askForVariable(insertionInto(input.current))}
          />
          <LastTools onStyle={onStyle} onEnd={onEnd} />
        </Group>
      </Bar>
      <Textarea
        ref={input}
        variant="unstyled"
        autosize
        autoFocus
        minRows={1}
        aria-label={field.label}
        className={classes.text}
        styles={{
          input: {
            fontSize: field.fontSize,
            fontWeight: field.isBold ? 700 : 400,
            color: 'inherit',
            padding: paddingOf(block),
            textAlign: alignOf(block),
          },
        }}
        value={field.text}
        onChange={(event) => onChange(field.with(event.currentTarget.value))}
        {...(field.isOneLine ? ONE_LINE : {})}
      />
    </>
  );
}

/** What every bar ends with. */
function LastTools({ onStyle, onEnd }: Pick<PlaceGiven, 'onStyle' | 'onEnd'>): ReactNode {
  return (
    <>
      <Tool label="Alignment, colors, spacing" icon={<IconPalette size={16} />} onClick={onStyle} />
      <Tool label="Done" keys="Escape" icon={<IconCheck size={16} />} onClick={onEnd} />
    </>
  );
}

function Bar({ into, children }: { readonly into: HTMLElement | null; readonly children: ReactNode }): ReactNode {
  return (
    into &&
    createPortal(
      <div className={classes.bar} data-format data-content>
        {children}
      </div>,
      into,
    )
  );
}

/** Texts share the cell of those above them, whose room around is not theirs. */
function paddingOf(block: Block): string {
  const { type, showIf, ...style } = block;
  const isInCell = type === 'text' && !showIf && Object.keys(style).length === 1;
  return isInCell ? '0' : `${type === 'text' && 'spaceAbove' in style ? (style.spaceAbove ?? 0) : 0}px ${SIDE}px`;
}

function alignOf(block: Block): 'left' | 'center' | 'right' {
  return ('align' in block ? block.align : undefined) ?? 'left';
}
