import { Popover, Text } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react';
import { type Insertion, LEAF, TYPED } from './insertion.ts';
import classes from './variable-picker.module.css';
import { VariableWords } from './variable-words.tsx';
import { matching, NO_MATCHES, output, type Variable } from './variables.ts';

/** Liquid that is begun and not closed, at the end of a text. */
const BEGUN_LIQUID = new RegExp(`\\{\\{-?([^{}\\n${LEAF}]*)$`);
/** Whatever may have changed what stands before the caret, or where it is seen. */
const CHANGES = ['input', 'selectionchange', 'focusin', 'focusout', 'scroll', TYPED];
/** As many as are seen at once: a list that scrolls would have to take the keyboard. */
const SHOWN = 7;

interface Given {
  readonly into: Insertion;
  readonly variables: readonly Variable[];
  readonly width: number;
  readonly onEnd: () => void;
}

/**
 * Offers variables while one is typed. The keyboard stays in the text, so that all that is typed is there, whether something is chosen or not: it
 * ends where the Liquid is closed, or the caret leaves it.
 */
export function TypedVariable({ into, variables, width, onEnd }: Given): ReactNode {
  const [begun, setBegun] = useState(() => begunAt(into));
  const [chosen, setChosen] = useState(0);
  const [place, setPlace] = useState(into.place);
  const wanted = begun?.[1]?.trim() ?? '';
  const offered = matching(variables, wanted);
  const at = Math.min(chosen, offered.length - 1);
  const first = Math.max(0, at - SHOWN + 1);
  const take = (path: string): void => {
    const replaced = begunAt(into)?.[0].length;
    onEnd();
    if (replaced) into.insert(output(path), replaced);
  };
  const look = useEffectEvent(() => {
    const now = begunAt(into);
    if (!now) return onEnd();
    if (now[1] !== begun?.[1]) setChosen(0);
    setBegun(now);
    const { top, bottom } = into.place();
    // It stays below where the variable begins.
    if (top !== place.top || bottom !== place.bottom) setPlace({ left: place.left, top, bottom });
  });
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'Escape') onEnd();
    else if (event.key === 'Enter') take(offered[at]?.path ?? wanted);
    else if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, offered.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0));
    else return;
    event.preventDefault();
    // It is not for the text: there Escape ends to edit it, and Enter begins a line.
    event.stopPropagation();
  });
  useEffect(() => {
    const onChange = (): void => look();
    const onKey = (event: KeyboardEvent): void => onKeyDown(event);
    // After the field's own: rendered before that, a field would have what it had.
    for (const change of CHANGES) document.addEventListener(change, onChange);
    document.addEventListener('keydown', onKey, true);
    return () => {
      for (const change of CHANGES) document.removeEventListener(change, onChange);
      document.removeEventListener('keydown', onKey, true);
    };
  }, []);
  const id = useId();
  useSuggestions(into.element, id, offered.length > 0 ? `${id}-${at}` : undefined);
  return (
    <Popover opened position="bottom-start" width={width} withRoles={false} withinPortal={false} closeOnEscape={false} shadow="md">
      <Popover.Target>
        <span className={classes.anchor} style={{ left: place.left, top: place.top, height: place.bottom - place.top }} />
      </Popover.Target>
      {/* A press would take the keyboard from the text. */}
      <Popover.Dropdown p="xs" onMouseDown={(event) => event.preventDefault()}>
        <div id={id} role="listbox" aria-label="Variables">
          {offered.slice(first, first + SHOWN).map((variable, index) => (
            <Option
              key={variable.path}
              id={`${id}-${first + index}`}
              variable={variable}
              isChosen={first + index === at}
              place={first + index + 1}
              count={offered.length}
              onTake={take}
            />
          ))}
        </div>
        {offered.length === 0 || offered.length > SHOWN ? (
          <Text size="xs" c="dimmed" p={6}>
            {offered.length === 0 ? NO_MATCHES : `${offered.length} variables. Keep typing, or use the arrow keys.`}
          </Text>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  );
}

interface OptionGiven {
  readonly id: string;
  readonly variable: Variable;
  readonly isChosen: boolean;
  /** Among all, from 1 on. */
  readonly place: number;
  readonly count: number;
  readonly onTake: (path: string) => void;
}

function Option({ id, variable, isChosen, place, count, onTake }: OptionGiven): ReactNode {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text.
    // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus, and says which option is active.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-posinset={place}
      aria-setsize={count}
      className={classes.variable}
      onClick={() => onTake(variable.path)}
    >
      <VariableWords variable={variable} />
    </div>
  );
}

function begunAt(into: Insertion): RegExpExecArray | undefined {
  return BEGUN_LIQUID.exec(into.before() ?? '') ?? undefined;
}

/** Tells screen readers at the text what is offered below it. */
function useSuggestions(element: HTMLElement, list: string, active: string | undefined): void {
  useEffect(() => {
    element.setAttribute('aria-autocomplete', 'list');
    element.setAttribute('aria-controls', list);
    return () => {
      for (const name of ['aria-autocomplete', 'aria-controls', 'aria-activedescendant']) element.removeAttribute(name);
    };
  }, [element, list]);
  useEffect(() => {
    if (active) element.setAttribute('aria-activedescendant', active);
    else element.removeAttribute('aria-activedescendant');
  }, [element, active]);
}
