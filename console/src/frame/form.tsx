import { Button, Group, Modal } from '@mantine/core';
import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { asFailure } from '../api/failure.ts';
import { problemAt } from '../api/issues.ts';
import { useFocusReturn } from '../show/focus-return.ts';
import { useLeaveGuard } from './leave-guard.ts';
import { useSaveKey } from './save-key.ts';

/*
 * How every form of the console behaves:
 * - A few fields are a dialog, with "Cancel" and the deed at its end. What fills a page has the deed at the head of the page, and the way back above.
 * - The button says the deed with its object, with "…" where a question follows. It can be pressed as long as there is something to do.
 * - What has to be filled in is marked behind its label (`required`); help stands below the input, which the theme sees to.
 * - What is missing is said at its field once the button was pressed, not at fields that came since; what is wrong already while it is typed.
 *   What the API refuses is said at its field too. Each time the focus goes to the first such field.
 * - Enter in a field of one line is the button, but for a draft that is kept by itself. On a page that changes something so is Ctrl+S. Escape and the cross close a dialog; what was typed is asked
 *   about before it is lost, and a call that fails loses nothing.
 */

interface Given {
  /** What is missing or wrong as far as the page can tell, by the name that the field has in the request; undefined where nothing is. */
  readonly faults?: Readonly<Record<string, string | undefined>>;
  /** Why the call failed, if it did. */
  readonly error: unknown;
  readonly isPending: boolean;
  /** Whether something was typed that is saved nowhere. */
  readonly isUnsaved: boolean;
  /** Called when nothing is missing. */
  readonly onSubmit: () => void;
  /** It is a page that changes something: Ctrl+S is its button. */
  readonly isSavedByKey?: boolean;
}

export interface Form {
  /** Of the `form` element. */
  readonly props: Pick<ComponentProps<'form'>, 'ref' | 'noValidate' | 'onSubmit'>;
  /** What to say at a field, by its name in the request; undefined where there is nothing. */
  errorOf(name: string): string | undefined;
  /** Calls `leave`, which loses what was typed: after a question if there is something. */
  ask(leave: () => void): void;
  /** How the user closes the dialog that the form is in. */
  close(): void;
}

const NOTHING: ReadonlySet<string> = new Set();

/** One form: when its button may call, what is said at its fields, and that nothing typed in it is lost. */
export function useForm({ faults = {}, error, isPending, isUnsaved, onSubmit, isSavedByKey = false }: Given): Form {
  const form = useRef<HTMLFormElement>(null);
  const [tried, setTried] = useState(NOTHING);
  const issues = error ? (asFailure(error).details.issues ?? []) : [];
  useEffect(() => {
    if (tried.size > 0) focusFirstFault(form.current);
  }, [tried]);
  useEffect(() => {
    if (error) focusFirstFault(form.current);
  }, [error]);
  useSaveKey(isSavedByKey ? () => form.current?.requestSubmit() : undefined);
  const dialog = useContext(Dialog);
  const ask = useLeaveGuard(isUnsaved);
  if (dialog) dialog.guard.current = ask;
  return {
    props: {
      ref: form,
      noValidate: true,
      onSubmit(event: FormEvent) {
        event.preventDefault();
        if (isPending) return;
        if (Object.values(faults).some((fault) => fault !== undefined)) setTried(new Set(Object.keys(faults)));
        else onSubmit();
      },
    },
    errorOf: (name) => (tried.has(name) ? faults[name] : undefined) ?? problemAt(issues, name),
    ask,
    close: dialog?.close ?? (() => undefined),
  };
}

/** Puts the focus into the first field that says what is wrong; also for pages that are no form of their own. */
export function focusFirstFault(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

interface DialogContext {
  /** Asks before what was typed is lost. */
  readonly guard: RefObject<(close: () => void) => void>;
  readonly close: () => void;
}

const Dialog = createContext<DialogContext | undefined>(undefined);

interface DialogGiven {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly size?: ComponentProps<typeof Modal>['size'];
  /** Has the form, and with it what is typed, which is gone when the dialog is closed. */
  readonly children: ReactNode;
}

/** A dialog with a form in it. */
export function FormDialog({ opened, onClose, title, size, children }: DialogGiven): ReactNode {
  const guard = useRef((close: () => void): void => close());
  const context = useMemo(() => ({ guard, close: () => guard.current(onClose) }), [onClose]);
  const returnFocus = useFocusReturn(opened);
  return (
    <Modal opened={opened} onClose={context.close} onExitTransitionEnd={returnFocus} title={title} size={size}>
      <Dialog value={context}>{children}</Dialog>
    </Modal>
  );
}

interface EndGiven {
  /** What the button says. */
  readonly action: string;
  readonly isPending: boolean;
  /** There is nothing to do. */
  readonly disabled?: boolean;
  /** What the button says that leaves all as it is, where "Cancel" could be taken for the action. */
  readonly keep?: string;
  readonly onCancel: () => void;
}

/** The buttons at the end of a form in a dialog. */
export function FormEnd({ action, isPending, disabled, keep = 'Cancel', onCancel }: EndGiven): ReactNode {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        {keep}
      </Button>
      <Button type="submit" loading={isPending} disabled={disabled}>
        {action}
      </Button>
    </Group>
  );
}
