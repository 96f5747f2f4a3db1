import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Clamped } from './clamped.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { useFocusReturn } from './focus-return.ts';

interface Given {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** What the button says, a verb with its object. */
  readonly action: string;
  /** What the button says that leaves all as it is, where "Cancel" could be taken for the action. */
  readonly keep?: string;
  /** There is no way back; so Enter alone does not do it. */
  readonly isFinal?: boolean;
  /** Has to be typed first. */
  readonly typed?: string;
  /** Called without anything; the caller closes on success. */
  readonly mutation: Pick<UseMutationResult<unknown, unknown, void>, 'mutate' | 'isPending' | 'error' | 'reset'>;
}

/** Asks before something is done, and says what went wrong where it was asked. */
export function Confirm({ opened, onClose, ...rest }: Given): ReactNode {
  const close = (): void => {
    rest.mutation.reset();
    onClose();
  };
  const returnFocus = useFocusReturn(opened);
  return (
    <Modal opened={opened} onClose={close} onExitTransitionEnd={returnFocus} title={<Clamped>{rest.title}</Clamped>}>
      <Question {...rest} onClose={close} />
    </Modal>
  );
}

function Question({
  onClose,
  children,
  action,
  keep = 'Cancel',
  isFinal = false,
  typed,
  mutation,
}: Omit<Given, 'opened' | 'title'>): ReactNode {
  const [text, setText] = useState('');
  // A button that waits for what is asked first takes no focus.
  const [isWaiting] = useState(mutation.isPending);
  const isKeepFirst = (isFinal || isWaiting) && !typed;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutation.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <div>{children}</div>
        {typed ? (
          <TextInput
            label={`Type ${typed} to confirm`}
            styles={{ label: { overflowWrap: 'anywhere' } }}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
        ) : null}
        {mutation.error ? <FailureNotice error={mutation.error} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus={isKeepFirst || undefined}>
            {keep}
          </Button>
          <Button
            type="submit"
            color={isFinal ? 'red.8' : undefined}
            loading={mutation.isPending}
            disabled={typed !== undefined && text.trim() !== typed}
            data-autofocus={typed || isKeepFirst ? undefined : true}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
