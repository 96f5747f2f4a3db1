import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { keyOf } from '../../frame/key-of.ts';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { SEQUENCES } from './sequence-queries.ts';

/** As the API takes a key. */
const KEY = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The least that a graph may be. */
const FIRST_GRAPH = {
  triggers: [],
  nodes: [
    { id: 'start', kind: 'trigger' as const },
    { id: 'end', kind: 'exit' as const },
  ],
  edges: [{ from: 'start', to: 'end' }],
};

/** Makes a draft, and leads to where it is edited. `taken`: keys that there are, as far as they are known. */
export function NewSequence({ taken }: { readonly taken: readonly string[] }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  // What is typed lives within the dialog.
  const leave = useRef((now: () => void): void => now());
  return (
    <>
      <Button leftSection={<IconPlus size={14} />} onClick={() => setIsOpen(true)}>
        New sequence
      </Button>
      <Modal opened={isOpen} onClose={() => leave.current(() => setIsOpen(false))} title="New sequence">
        <Form taken={taken} onCancel={() => setIsOpen(false)} guard={leave} />
      </Modal>
    </>
  );
}

interface FormGiven {
  readonly taken: readonly string[];
  readonly onCancel: () => void;
  /** Set to what asks before unsaved input is lost. */
  readonly guard: { current: (close: () => void) => void };
}

function Form({ taken, onCancel, guard }: FormGiven): ReactNode {
  const [name, setName] = useState('');
  const [typedKey, setTypedKey] = useState<string>();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const key = typedKey ?? keyOf(name);
  const create = useMutation({
    mutationFn: () =>
      answerOf(
        api.PUT('/sequences/{key}', {
          params: { path: { key }, query: { ifVersion: 0 } },
          body: { ...FIRST_GRAPH, name: name.trim(), status: 'draft' },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: SEQUENCES });
      navigate(`/${key}/edit`);
    },
  });
  const ask = useLeaveGuard(name !== '' || typedKey !== undefined);
  guard.current = ask;
  // It may have been taken since the list was read.
  const isTaken = taken.includes(key) || (create.error !== null && asFailure(create.error).details.code === 'version_conflict');
  const isKey = KEY.test(key);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() && isKey && !isTaken) create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput label="Name" maxLength={200} data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TextInput
          label="Key"
          description="For programs; it cannot be changed later"
          spellCheck={false}
          value={key}
          onChange={(event) => {
            setTypedKey(event.currentTarget.value);
            create.reset();
          }}
          error={
            isTaken
              ? 'There is a sequence with this key'
              : key && !isKey
                ? 'Up to 64 of a-z, 0-9, _ and -, the first a letter or digit'
                : undefined
          }
        />
        {create.error && !isTaken ? <FailureNotice error={create.error} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => ask(onCancel)}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!name.trim() || !isKey}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
