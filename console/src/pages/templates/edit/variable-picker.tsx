import { Popover, Text, TextInput, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, type Ref, useEffect, useRef, useState } from 'react';
import { useVocabulary } from '../../../frame/vocabulary.ts';
import type { TemplateSchema } from '../template-queries.ts';
import { ASKED, type AskedVariable, askForVariable, type Field, type Insertion, insertionInto, typeInto } from './insertion.ts';
import classes from './variable-picker.module.css';
import { matching, type Variable, variablesOf } from './variables.ts';

const BEGIN = '{{';
/** What the picker needs, in pixels. */
const SIZE = { width: 320, height: 330 } as const;

/** A text field of the content; undefined: it is something else. */
function fieldOf(target: EventTarget | null): Field | undefined {
  const isField = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text');
  return isField && target.closest('[data-content]') ? target : undefined;
}

/** Offers what a text may show where `{{` is typed, and puts it there. */
export function VariablePicker({ schema }: { readonly schema: TemplateSchema }): ReactNode {
  const [asked, setAsked] = useState<AskedVariable>();
  useEffect(() => {
    const onInput = (event: Event): void => {
      const field = fieldOf(event.target);
      const caret = field?.selectionStart ?? 0;
      const isBrace = event instanceof InputEvent && event.data === '{';
      if (!field || !isBrace || !field.value.slice(0, caret).endsWith(BEGIN)) return;
      // Alone they are no Liquid, and the preview would say so.
      typeInto(field, '', [caret - BEGIN.length, caret]);
      askForVariable(insertionInto(field), BEGIN);
    };
    const onAsked = (event: Event): void => {
      const { detail } = event as CustomEvent<AskedVariable>;
      makeRoom(detail.into);
      setAsked(detail);
    };
    document.addEventListener('input', onInput);
    document.addEventListener(ASKED, onAsked);
    return () => {
      document.removeEventListener('input', onInput);
      document.removeEventListener(ASKED, onAsked);
    };
  }, []);
  if (!asked) return null;
  return <Offer {...asked} schema={schema} onEnd={() => setAsked(undefined)} />;
}

/** Where there is none for the picker above or below what is typed: the picker would cover it. */
function makeRoom({ place }: Insertion): void {
  const { top, bottom } = place();
  const lacking = bottom + SIZE.height - window.innerHeight;
  if (lacking > 0 && top < SIZE.height) window.scrollBy(0, lacking);
}

interface OfferGiven extends AskedVariable {
  readonly schema: TemplateSchema;
  readonly onEnd: () => void;
}

function Offer({ into, typed, schema, onEnd }: OfferGiven): ReactNode {
  const [wanted, setWanted] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const { attributes } = useVocabulary();
  const offered = matching(variablesOf(schema, attributes), wanted);
  const { left, top, bottom } = into.place();
  const end = (text: string): void => {
    onEnd();
    into.insert(text);
  };
  const take = (path: string): void => end(`{{ ${path} }}`);
  const cancel = (): void => end(typed);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') take(offered[0]?.path ?? wanted.trim());
    else if (event.key === 'ArrowDown') list.current?.querySelector('button')?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <Popover
      opened
      onChange={(isOpen) => (isOpen ? undefined : cancel())}
      position="bottom-start"
      width={SIZE.width}
      trapFocus
      withRoles={false}
      shadow="md"
    >
      <Popover.Target>
        <span className={classes.anchor} style={{ left, top, height: bottom - top }} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Insert a variable" p="xs">
        <TextInput
          aria-label="Search for a variable"
          placeholder="Search or type a path"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          data-autofocus
        />
        <Offered variables={offered} list={list} onTake={take} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface OfferedGiven {
  readonly variables: readonly Variable[];
  readonly list: Ref<HTMLUListElement>;
  readonly onTake: (path: string) => void;
}

function Offered({ variables, list, onTake }: OfferedGiven): ReactNode {
  return (
    <div className={classes.offered}>
      <ul className={classes.variables} ref={list} onKeyDown={moveFocus}>
        {variables.map(({ path, of, sample }) => (
          <li key={path}>
            <UnstyledButton className={classes.variable} onClick={() => onTake(path)}>
              <Text span size="sm">
                {path}
              </Text>
              <Text span size="xs" c="dimmed" truncate>
                {sample || of}
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {variables.length === 0 ? (
        <Text size="xs" c="dimmed" p={6}>
          No matches. Press Enter to use it as typed.
        </Text>
      ) : null}
    </div>
  );
}

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll('button')];
  all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement as HTMLButtonElement) + by))]?.focus();
}
