import { Button, Stack, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { LONGEST_NAME } from '../../api/limits.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { keyOf } from '../../frame/key-of.ts';
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

/** Makes a draft, and leads to where it is edited. `taken`: keys that there are, as far as they are known; `isFirst`: asked in an empty list. */
export function NewSequence({ taken, isFirst = false }: { readonly taken: readonly string[]; readonly isFirst?: boolean }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      {isFirst ? (
        <Button variant="default" mt="sm" onClick={() => setIsOpen(true)}>
          Make the first sequence
        </Button>
      ) : (
        <Button leftSection={<IconPlus size={14} />} onClick={() => setIsOpen(true)}>
          New sequence
        </Button>
      )}
      <FormDialog opened={isOpen} onClose={() => setIsOpen(false)} title="New sequence">
        <Form taken={taken} />
      </FormDialog>
    </>
  );
}

function Form({ taken }: { readonly taken: readonly string[] }): ReactNode {
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
  // It may have been taken since the list was read.
  const isTaken = taken.includes(key) || (create.error !== null && asFailure(create.error).details.code === 'version_conflict');
  const keyFault = isTaken
    ? 'There is a sequence with this key'
    : key && !KEY.test(key)
      ? 'Up to 64 of a-z, 0-9, _ and -, the first a letter or digit'
      : undefined;
  const { props, errorOf, close } = useForm({
    faults: { name: name.trim() ? undefined : 'Fill in the name', key: key ? keyFault : 'Fill in the key' },
    error: create.error,
    isPending: create.isPending,
    isUnsaved: name !== '' || typedKey !== undefined,
    onSubmit: create.mutate,
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <TextInput
          label="Name"
          maxLength={LONGEST_NAME}
          required
          data-autofocus
          value={name}
          error={errorOf('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Key"
          description="For programs; it cannot be changed later"
          spellCheck={false}
          required
          value={key}
          onChange={(event) => {
            setTypedKey(event.currentTarget.value);
            create.reset();
          }}
          error={keyFault ?? errorOf('key')}
        />
        {create.error && !isTaken ? <FailureNotice error={create.error} /> : null}
        <FormEnd action="Create sequence" isPending={create.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}
