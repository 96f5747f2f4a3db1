import { Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { LONGEST_NAME } from '../../api/limits.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { keyOf } from '../../frame/key-of.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { TEMPLATES } from '../templates/template-queries.ts';
import { SEQUENCES, type Starter } from './sequence-queries.ts';

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

interface Given {
  /** Keys that there are, as far as they are known. */
  readonly taken: readonly string[];
  /** What it begins as; undefined: a start and an end. */
  readonly starter?: Starter | undefined;
}

/** Makes the templates that a starter's mails lack; those that somebody else made meanwhile stay theirs. */
async function makeTemplates({ templates }: Starter): Promise<void> {
  for (const template of templates) {
    try {
      await answerOf(api.POST('/templates', { body: template as never }));
    } catch (error) {
      if (asFailure(error).details.code !== 'duplicate_key') throw error;
    }
  }
}

/** Names a sequence, makes it a draft, and leads to where it is edited. */
export function NewSequenceForm({ taken, starter }: Given): ReactNode {
  const [name, setName] = useState(starter?.name ?? '');
  const [typedKey, setTypedKey] = useState<string>();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const key = typedKey ?? keyOf(name);
  const create = useMutation({
    mutationFn: async () => {
      if (starter) await makeTemplates(starter);
      const graph = (starter?.graph ?? FIRST_GRAPH) as typeof FIRST_GRAPH;
      return answerOf(
        api.PUT('/sequences/{key}', {
          params: { path: { key }, query: { ifVersion: 0 } },
          body: { ...graph, name: name.trim(), status: 'draft' },
        }),
      );
    },
    onSuccess: async () => {
      await Promise.all([SEQUENCES, TEMPLATES].map((queryKey) => queries.invalidateQueries({ queryKey })));
      navigate(`/${key}/edit`);
    },
  });
  // It may have been taken since the list was read.
  const isTaken = taken.includes(key) || (create.error !== null && asFailure(create.error).details.code === 'version_conflict');
  const keyFault = isTaken
    ? 'Another sequence has this key'
    : key && !KEY.test(key)
      ? 'Use up to 64 of a-z, 0-9, _ and -, starting with a letter or digit'
      : undefined;
  const { props, errorOf, close } = useForm({
    faults: { name: name.trim() ? undefined : 'Enter a name', key: key ? keyFault : 'Enter a key' },
    error: create.error,
    isPending: create.isPending,
    isUnsaved: name !== (starter?.name ?? '') || typedKey !== undefined,
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
          description="Used by the API. It cannot be changed later"
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
