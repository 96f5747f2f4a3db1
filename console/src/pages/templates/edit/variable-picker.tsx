import { Popover, Text, TextInput, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, type Ref, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useVocabulary } from '../../../frame/vocabulary.ts';
import type { TemplateField } from '../template-queries.ts';
import { ASKED, BEGUN, type Field, type Insertion, insertionInto, offerVariables } from './insertion.ts';
import { TypedVariable } from './typed-variable.tsx';
import classes from './variable-picker.module.css';
import { VariableWords } from './variable-words.tsx';
import { matching, NO_MATCHES, output, type Variable, variablesOf } from './variables.ts';

/** What the picker needs, in pixels. */
const SIZE = { width: 320, height: 330 } as const;

/** A text field of the content, or another that is marked so; undefined: it is something else. */
function fieldOf(target: EventTarget | null): Field | undefined {
  const isField = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text');
  return isField && target.closest('[data-content]') ? target : undefined;
}

interface Given {
  /** As far as it is known. */
  readonly fields: readonly Pick<TemplateField, 'path' | 'kind' | 'sample'>[];
  /** `{{` is typed, and what follows is half a variable until it ends. */
  readonly onTyping?: (isTyped: boolean) => void;
}

interface Asked {
  readonly into: Insertion;
  /** `{{` is there, and whatever follows is typed into the text. */
  readonly isTyped: boolean;
}

/** Offers what a text may show: in a dialog when it is asked for, else below the text where `{{` is typed. */
export function VariablePicker({ fields, onTyping }: Given): ReactNode {
  const [asked, setAsked] = useState<Asked>();
  const { attributes } = useVocabulary();
  const show = useEffectEvent((into: Insertion, isTyped: boolean) => {
    makeRoom(into);
    setAsked({ into, isTyped });
    onTyping?.(isTyped);
  });
  useEffect(() => {
    const onInput = (event: Event): void => {
      const field = fieldOf(event.target);
      const isBrace = event instanceof InputEvent && event.data === '{';
      if (!field || !isBrace) return;
      const into = insertionInto(field);
      if (into.before()?.endsWith('{{')) offerVariables(into);
    };
    const onAsked = (event: Event): void => show((event as CustomEvent<Insertion>).detail, event.type === BEGUN);
    document.addEventListener('input', onInput);
    document.addEventListener(ASKED, onAsked);
    document.addEventListener(BEGUN, onAsked);
    return () => {
      document.removeEventListener('input', onInput);
      document.removeEventListener(ASKED, onAsked);
      document.removeEventListener(BEGUN, onAsked);
    };
  }, []);
  if (!asked) return null;
  const given = {
    into: asked.into,
    variables: variablesOf(fields, attributes),
    onEnd(): void {
      setAsked(undefined);
      onTyping?.(false);
    },
  };
  return asked.isTyped ? <TypedVariable {...given} width={SIZE.width} /> : <Offer {...given} />;
}

/** Where there is none for the picker above or below what is typed: the picker would cover it. */
function makeRoom({ place }: Insertion): void {
  const { top, bottom } = place();
  const lacking = bottom + SIZE.height - window.innerHeight;
  if (lacking > 0 && top < SIZE.height) window.scrollBy(0, lacking);
}

interface OfferGiven {
  readonly into: Insertion;
  readonly variables: readonly Variable[];
  readonly onEnd: () => void;
}

function Offer({ into, variables, onEnd }: OfferGiven): ReactNode {
  const [wanted, setWanted] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const offered = matching(variables, wanted);
  const { left, top, bottom } = into.place();
  const end = (text: string): void => {
    onEnd();
    into.insert(text);
  };
  const take = (path: string): void => end(output(path));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') take(offered[0]?.path ?? wanted.trim());
    else if (event.key === 'ArrowDown') list.current?.querySelector('button')?.focus();
    else return;
    event.preventDefault();
  };
  const onChange = (typed: string): void => {
    // Whoever types the braces too has closed it.
    const [path, ...rest] = typed.replace(/^\s*\{\{/, '').split('}}');
    setWanted(path ?? '');
    if (rest.length === 0) return;
    if (path?.trim()) take(path.trim());
    if (rest.some(Boolean)) into.insert(rest.join('}}'));
  };
  return (
    <Popover
      opened
      onChange={(isOpen) => (isOpen ? undefined : end(''))}
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
          onChange={(event) => onChange(event.currentTarget.value)}
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
        {variables.map((variable) => (
          <li key={variable.path}>
            <UnstyledButton className={classes.variable} onClick={() => onTake(variable.path)}>
              <VariableWords variable={variable} />
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {variables.length === 0 ? (
        <Text size="xs" c="dimmed" p={6}>
          {NO_MATCHES}
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
