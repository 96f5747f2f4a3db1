import { Popover, Text, TextInput, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, type Ref, useEffect, useRef, useState } from 'react';
import type { TemplateSchema } from '../template-queries.ts';
import { type Field, typeInto } from './typed-marks.ts';
import classes from './variable-picker.module.css';
import { matching, type Variable, variablesOf } from './variables.ts';

const ASKED = 'ask-for-variable';
const BEGIN = '{{';

/** Opens the picker for a field, as typing `{{` in it does. */
export function askForVariable(field: Field): void {
  field.dispatchEvent(new CustomEvent(ASKED, { bubbles: true }));
}

/** A text field of the content; undefined: it is something else. */
function fieldOf(target: EventTarget | null): Field | undefined {
  const isField = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text');
  return isField && target.closest('[data-content]') ? target : undefined;
}

interface Asked {
  readonly field: Field;
  /** What comes back where nothing is chosen. */
  readonly typed: string;
}

/** Offers what a text may show where `{{` is typed, and puts it there. */
export function VariablePicker({ schema }: { readonly schema: TemplateSchema }): ReactNode {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    const onInput = (event: Event): void => {
      const field = fieldOf(event.target);
      const caret = field?.selectionStart ?? 0;
      const isBrace = event instanceof InputEvent && event.data === '{';
      if (!field || !isBrace || !field.value.slice(0, caret).endsWith(BEGIN)) return;
      // Alone they are no Liquid, and the preview would say so.
      typeInto(field, '', [caret - BEGIN.length, caret], [0, 0]);
      setAsked({ field, typed: BEGIN });
    };
    const onAsked = (event: Event): void => {
      const field = fieldOf(event.target);
      if (field) setAsked({ field, typed: '' });
    };
    document.addEventListener('input', onInput);
    document.addEventListener(ASKED, onAsked);
    return () => {
      document.removeEventListener('input', onInput);
      document.removeEventListener(ASKED, onAsked);
    };
  }, []);
  if (!asked) return null;
  return <Offer key={asked.field.id} {...asked} schema={schema} onEnd={() => setAsked(undefined)} />;
}

interface OfferGiven extends Asked {
  readonly schema: TemplateSchema;
  readonly onEnd: () => void;
}

function Offer({ field, typed, schema, onEnd }: OfferGiven): ReactNode {
  const [wanted, setWanted] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const offered = matching(variablesOf(schema), wanted);
  const { left, bottom } = field.getBoundingClientRect();
  const insert = (text: string): void => {
    const caret = field.selectionStart ?? field.value.length;
    typeInto(field, text, [caret, field.selectionEnd ?? caret], [text.length, text.length]);
  };
  const take = (path: string): void => {
    onEnd();
    insert(`{{ ${path} }}`);
  };
  const cancel = (): void => {
    onEnd();
    insert(typed);
  };
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
      width={320}
      trapFocus
      withRoles={false}
      shadow="md"
    >
      <Popover.Target>
        <span className={classes.anchor} style={{ left, top: Math.min(bottom, window.innerHeight - 40) }} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Insert a variable" p="xs">
        <TextInput
          aria-label="Search for a variable"
          placeholder="Search, or type a path"
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
          Nothing is known by that name. Enter takes it as it is.
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
