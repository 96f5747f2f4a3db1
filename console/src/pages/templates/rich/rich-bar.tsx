import { Button, Group, TextInput } from '@mantine/core';
import { IconBold, IconBraces, IconItalic, IconLink, IconList } from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { askForVariable } from '../edit/insertion.ts';
import { Tool } from '../edit/tool.tsx';
import { insertionOf } from './use-rich-editor.ts';
import { canLead, webAddress } from './web-address.ts';

interface Given {
  /** Of the bar. */
  readonly label: string;
  readonly editor: Editor;
  /** An address is asked for. */
  readonly asksLink: boolean;
  readonly onAskLink: (asks: boolean) => void;
  readonly onMakeList: () => void;
  /** What else there is to do. */
  readonly children?: ReactNode;
}

/** What can be done with what is selected in a text. */
export function RichBar({ label, editor, asksLink, onAskLink, onMakeList, children }: Given): ReactNode {
  if (asksLink) return <LinkForm editor={editor} onEnd={() => onAskLink(false)} />;
  const icon = { size: 16 };
  return (
    <Group gap={2} wrap="nowrap" role="toolbar" aria-label={label}>
      <Tool
        label="Bold"
        keys="Ctrl+B"
        icon={<IconBold {...icon} />}
        isOn={editor.isActive('bold')}
        onClick={() => editor.chain().focus().toggleMark('bold').run()}
      />
      <Tool
        label="Italic"
        keys="Ctrl+I"
        icon={<IconItalic {...icon} />}
        isOn={editor.isActive('italic')}
        onClick={() => editor.chain().focus().toggleMark('italic').run()}
      />
      <Tool label="Link" keys="Ctrl+K" icon={<IconLink {...icon} />} isOn={editor.isActive('link')} onClick={() => onAskLink(true)} />
      <Tool label="Turn into list" icon={<IconList {...icon} />} onClick={onMakeList} />
      <Tool label="Insert a variable" keys="{{" icon={<IconBraces {...icon} />} onClick={() => askForVariable(insertionOf(editor))} />
      {children}
    </Group>
  );
}

/** Asks for the address of a link before there is one: half an address is none. */
function LinkForm({ editor, onEnd }: { readonly editor: Editor; readonly onEnd: () => void }): ReactNode {
  const known = editor.getAttributes('link').href as string | undefined;
  const [typed, setTyped] = useState(known ?? '');
  const [isRefused, setIsRefused] = useState(false);
  const end = (): void => {
    onEnd();
    editor.commands.focus();
  };
  const remove = (): void => {
    editor.chain().extendMarkRange('link').unsetMark('link').run();
    end();
  };
  const apply = (): void => {
    const href = webAddress(typed);
    if (href === '') remove();
    else if (canLead(href)) {
      link(editor, href);
      end();
    } else setIsRefused(true);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') apply();
    else if (event.key === 'Escape') end();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Group gap={4} wrap="nowrap" align="flex-start" role="group" aria-label="Link" onKeyDown={onKeyDown} flex={1}>
      <TextInput
        size="xs"
        flex={1}
        aria-label="Link address"
        placeholder="example.com/page"
        value={typed}
        error={isRefused ? 'Enter an address such as https://example.com' : undefined}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setIsRefused(false);
        }}
        autoFocus
      />
      <Button size="xs" onClick={apply}>
        Link
      </Button>
      {known ? (
        <Button size="xs" variant="default" onClick={remove}>
          Remove
        </Button>
      ) : null}
    </Group>
  );
}

/** Around what is selected; in the place of the link that the caret is in; else with its address to be read. */
function link(editor: Editor, href: string): void {
  const isInLink = editor.isActive('link');
  if (editor.state.selection.empty && !isInLink) {
    const text = href.replace(/^(?:https?:\/\/|mailto:)/, '');
    editor.commands.insertContent({ type: 'text', text, marks: [{ type: 'link', attrs: { href } }] });
  } else editor.chain().extendMarkRange('link').setMark('link', { href }).run();
}
