import { ActionIcon, Box, Group, Textarea } from '@mantine/core';
import { IconBold, IconBraces, IconCheck, IconItalic, IconLetterT, IconLink, IconList } from '@tabler/icons-react';
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import type { Block } from '../template-queries.ts';
import type { BlockPlace } from './block-places.ts';
import classes from './preview-blocks.module.css';
import { textField } from './text-field.ts';
import { addLink, type Field, markKey, toggleMark, withoutMarks } from './typed-marks.ts';
import { askForVariable } from './variable-picker.tsx';

/** Pixels that the bar needs above a block. */
const BAR = 44;
/** Of a mail, beside its texts. */
const SIDE = 24;

interface Given {
  readonly block: Block;
  readonly place: BlockPlace;
  readonly scheme: 'light' | 'dark';
  readonly onChange: (block: Block) => void;
  /** `isByKey`: the keyboard goes on at the block. */
  readonly onEnd: (isByKey: boolean) => void;
}

/** The text of a block, typed where the mail has it. */
export function InPlace({ block, place, scheme, onChange, onEnd }: Given): ReactNode {
  const input = useRef<HTMLTextAreaElement>(null);
  const field = textField(block);
  useEffect(() => input.current?.setSelectionRange(input.current.value.length, input.current.value.length), []);
  if (!field) return null;
  const onKeyDown = (event: KeyboardEvent): void => {
    const mark = block.type === 'text' ? markKey(event.nativeEvent) : undefined;
    if (event.key === 'Escape') onEnd(true);
    else if (mark && input.current) mark(input.current);
    else return;
    event.preventDefault();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void => {
    // To choose a variable is a part of it.
    if (currentTarget.contains(relatedTarget) || relatedTarget?.closest('[role="dialog"]')) return;
    if (document.hasFocus()) onEnd(false);
  };
  return (
    <Box
      role="group"
      aria-label={`${field.label}, in the preview`}
      className={classes.edited}
      style={{ left: place.left, top: place.top, width: place.width, minHeight: place.height }}
      data-scheme={scheme}
      onBlur={onBlur}
    >
      <Bar block={block} isBelow={place.top < BAR} field={() => input.current} onChange={onChange} onEnd={() => onEnd(true)} />
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
            padding: isInCell(block) ? 0 : `0 ${SIDE}px`,
          },
        }}
        value={field.text}
        onChange={(event) => onChange(field.with(event.currentTarget.value))}
        onKeyDown={onKeyDown}
      />
    </Box>
  );
}

interface BarGiven extends Pick<Given, 'block' | 'onChange'> {
  readonly isBelow: boolean;
  readonly field: () => Field | null;
  readonly onEnd: () => void;
}

/** What can be done with the text, as far as its block has it. */
function Bar({ block, isBelow, field, onChange, onEnd }: BarGiven): ReactNode {
  const onField = (act: (field: Field) => void) => () => {
    const input = field();
    if (input) act(input);
  };
  const turn = (into: Block) => () => {
    onChange(into);
    field()?.focus();
  };
  return (
    <Group gap={2} wrap="nowrap" className={classes.bar} data-below={isBelow || undefined} role="toolbar" aria-label="Format">
      {block.type === 'text' ? (
        <>
          <Tool label="Bold" keys="Ctrl+B" icon={<IconBold size={16} />} onClick={onField((input) => toggleMark(input, '**'))} />
          <Tool label="Italic" keys="Ctrl+I" icon={<IconItalic size={16} />} onClick={onField((input) => toggleMark(input, '*'))} />
          <Tool label="Link" keys="Ctrl+K" icon={<IconLink size={16} />} onClick={onField(addLink)} />
          <Tool label="Make it a list" icon={<IconList size={16} />} onClick={turn(asList(block))} />
        </>
      ) : null}
      {block.type === 'list' ? <Tool label="Make it a text" icon={<IconLetterT size={16} />} onClick={turn(asText(block))} /> : null}
      <Tool label="Insert a variable" keys="{{" icon={<IconBraces size={16} />} onClick={onField(askForVariable)} />
      <Tool label="Done" keys="Escape" icon={<IconCheck size={16} />} onClick={onEnd} />
    </Group>
  );
}

interface ToolGiven {
  readonly label: string;
  readonly keys?: string;
  readonly icon: ReactNode;
  readonly onClick: () => void;
}

function Tool({ label, keys, icon, onClick }: ToolGiven): ReactNode {
  return (
    <ActionIcon
      size={30}
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      // What is selected in the text stays so.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  );
}

/** Texts share the cell of those above them, whose room around is not theirs. */
const isInCell = ({ type, showIf }: Block): boolean => type === 'text' && !showIf;

const shownIf = ({ showIf }: Block) => (showIf ? { showIf } : {});

/** Its lines as items, which have no marks. */
function asList(block: Block & { readonly type: 'text' }): Block {
  const lines = withoutMarks(block.text).split('\n');
  const items = lines.map((line) => line.trim()).filter((line) => line !== '');
  return { type: 'list', items: items.length > 0 ? items : [''], ...shownIf(block) };
}

function asText(block: Block & { readonly type: 'list' }): Block {
  return { type: 'text', text: block.items.join('\n'), ...shownIf(block) };
}
