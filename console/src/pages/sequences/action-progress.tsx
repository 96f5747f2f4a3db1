import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { RunProgress } from './run-progress.tsx';
import { actionsQuery, SEQUENCES, type SequenceGraph } from './sequence-queries.ts';

type Action = Schemas['EnrollmentAction'];

const DONE: Readonly<Record<Action['action'], string>> = {
  move: 'moved',
  migrate: 'moved or ended',
  cancel: 'cancelled',
  resume: 'resumed',
  retry: 'retried',
};

/** How far the actions over many runs are, or what the last one came to. Nothing where there was none lately. */
export function ActionsProgress({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const { data: actions = [] } = useQuery(actionsQuery(graph.key));
  const queries = useQueryClient();
  const underWay = actions.filter(({ status }) => status === 'running').length;
  const wereUnderWay = useRef(0);
  // What one did stands in the lists beside it.
  useEffect(() => {
    if (wereUnderWay.current > underWay) void queries.invalidateQueries({ queryKey: SEQUENCES });
    wereUnderWay.current = underWay;
  }, [underWay, queries]);
  return actions.map((action) => <ActionProgress key={action.id} action={action} />);
}

function ActionProgress({ action }: { readonly action: Action }): ReactNode {
  return (
    <RunProgress
      work={action}
      settled={action.done + action.skipped}
      label="Action on runs"
      progressLabel="Progress of the action"
      words={wordsOf(action)}
      stop={<Stop action={action} />}
    />
  );
}

function wordsOf({ action, status, total, done, skipped }: Action): string {
  const of = status === 'completed' ? '' : ` of ${total.toLocaleString('en')}`;
  const skippedWords = skipped > 0 ? `, ${skipped.toLocaleString('en')} skipped` : '';
  const runs = (status === 'completed' ? done : total) === 1 ? 'run' : 'runs';
  return `${done.toLocaleString('en')}${of} ${runs} ${DONE[action]}${skippedWords}${status === 'cancelled' ? '; stopped' : ''}`;
}

function Stop({ action: { id, sequence_key: key } }: { readonly action: Action }): ReactNode {
  const { may } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const stop = useMutation({
    mutationFn: () => answerOf(api.POST('/sequences/{key}/enrollments/actions/{id}/cancel', { params: { path: { key, id } } })),
    onSuccess: () => setIsAsked(false),
    onSettled: () => queries.invalidateQueries({ queryKey: actionsQuery(key).queryKey }),
  });
  if (!may('POST /sequences/{key}/enrollments/actions/{id}/cancel')) return null;
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsAsked(true)}>
        Stop…
      </Button>
      <Confirm opened={isAsked} onClose={() => setIsAsked(false)} title="Stop here?" action="Stop" keep="Go on" isFinal mutation={stop}>
        <Text size="sm">What was done stays; the other runs are left as they are.</Text>
      </Confirm>
    </>
  );
}
