import { Button, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { randomKey } from '../../api/random-key.ts';
import { choicesOf } from '../../frame/choices.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { stepChoices } from './graph/step-choices.ts';
import { actionCountQuery, type RunFilter, SEQUENCES, type SequenceGraph } from './sequence-queries.ts';

type ActionName = Schemas['RunAction'];

const ACTIONS: Readonly<Record<ActionName, string>> = {
  move: 'Move to a step',
  cancel: 'Cancel runs',
  resume: 'Resume those on hold',
  retry: 'Retry failed steps',
};

const VERBS: Readonly<Record<ActionName, string>> = { move: 'Move', cancel: 'Cancel', resume: 'Resume', retry: 'Retry' };

const MEANINGS: Readonly<Record<ActionName, string>> = {
  move: 'They go on at that step of the current version, as if they had just got there. Their old step sends nothing more.',
  cancel: 'They end, and nothing more of them is sent.',
  resume: 'They check at once whether they may go on.',
  retry: 'A step that is being retried is tried at once. A run that ended by a failed step goes on at that step.',
};

interface Given {
  readonly graph: SequenceGraph;
  /** Which runs the list shows. */
  readonly filter: RunFilter;
  readonly isFiltered: boolean;
}

/** Does something with all runs that the list shows, on whatever page of it; how many they are is said before. */
export function RunActions({ graph, filter, isFiltered }: Given): ReactNode {
  const { may } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  if (graph.status === 'archived' || !may('POST /sequences/{key}/enrollments/actions')) return null;
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {isFiltered ? 'Act on matching runs…' : 'Act on all runs…'}
      </Button>
      <FormDialog opened={isOpen} onClose={() => setIsOpen(false)} title={isFiltered ? 'Act on matching runs' : 'Act on all runs'}>
        <ActionForm graph={graph} filter={filter} onDone={() => setIsOpen(false)} />
      </FormDialog>
    </>
  );
}

function ActionForm({ graph, filter, onDone }: Omit<Given, 'isFiltered'> & { readonly onDone: () => void }): ReactNode {
  const { key } = graph;
  const [action, setAction] = useState<ActionName>('move');
  const [to, setTo] = useState<string | null>(null);
  const isRetry = action === 'retry';
  const asked = { action, filter: asBody(filter), ...((action === 'move' || isRetry) && to ? { to } : {}) };
  const isWhole = action !== 'move' || to !== null;
  const { data: count } = useQuery({ ...actionCountQuery(key, asked), enabled: isWhole });
  const queries = useQueryClient();
  // The same call again after a failure is the same action.
  const idempotencyKey = useRef(randomKey());
  const begin = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/sequences/{key}/enrollments/actions', {
          params: { path: { key }, header: { 'Idempotency-Key': idempotencyKey.current } },
          body: asked,
        }),
      ),
    onSuccess: async () => {
      onDone();
      await queries.invalidateQueries({ queryKey: SEQUENCES });
    },
  });
  const { props, errorOf, close } = useForm({
    faults: { to: isWhole ? undefined : 'Choose a step' },
    error: begin.error,
    isPending: begin.isPending,
    isUnsaved: false,
    onSubmit: () => begin.mutate(),
  });
  const changed = (): void => {
    idempotencyKey.current = randomKey();
    begin.reset();
  };
  return (
    <form {...props}>
      <Stack gap="md">
        <Select
          label="Action"
          data={choicesOf(ACTIONS)}
          value={action}
          allowDeselect={false}
          data-autofocus
          onChange={(chosen) => {
            setAction(chosen as ActionName);
            changed();
          }}
        />
        {action === 'move' || isRetry ? (
          <Select
            label={isRetry ? 'Go on at' : 'Step'}
            placeholder={isRetry ? 'Where they failed' : 'Choose a step'}
            required={!isRetry}
            searchable
            clearable={isRetry}
            allowDeselect={false}
            data={stepChoices(graph)}
            value={to}
            error={errorOf('to')}
            onChange={(chosen) => {
              setTo(chosen);
              changed();
            }}
          />
        ) : null}
        <Text size="sm">{isRetry && to ? MEANINGS.move : MEANINGS[action]}</Text>
        {isWhole ? (
          <Text size="sm" role="status">
            {count === undefined ? 'Counting…' : `${runs(count)} ${count === 1 ? 'matches' : 'match'} now. Others are not touched.`}
          </Text>
        ) : null}
        {begin.error ? <FailureNotice error={begin.error} /> : null}
        <FormEnd
          action={count === undefined ? VERBS[action] : `${VERBS[action]} ${runs(count)}`}
          isPending={begin.isPending}
          disabled={isWhole && !count}
          keep={action === 'cancel' ? 'Keep them' : 'Cancel'}
          onCancel={close}
        />
      </Stack>
    </form>
  );
}

/** The filters of the list as the action takes them. */
function asBody({ contactId, limit: _, cursor: __, version, ...filter }: RunFilter): Schemas['RunFilter'] {
  return {
    ...filter,
    ...(contactId ? { contactIds: [contactId] } : {}),
    // From the address, where all are texts.
    ...(version === undefined ? {} : { version: Number(version) }),
  } as Schemas['RunFilter'];
}

function runs(count: number): string {
  return count === 1 ? '1 run' : `${count.toLocaleString('en')} runs`;
}
