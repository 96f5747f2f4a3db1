import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { RunProgress } from './run-progress.tsx';
import { bulkQuery, type SequenceGraph } from './sequence-queries.ts';

type Bulk = Schemas['BulkEnrollment'];

const REASONS: Readonly<Record<Schemas['EnrollRefusal'], string>> = {
  sequence_not_active: 'the sequence was not active',
  contact_unsubscribed: 'unsubscribed',
  already_enrolled: 'already in it',
  already_completed: 'in it before',
  cooldown: 'in it too recently',
};

/** How far the enrollment of a whole segment is, or what the last one came to. Nothing where there was none lately. */
export function BulkProgress({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const { data: bulk } = useQuery(bulkQuery(graph.key));
  if (!bulk) return null;
  return (
    <RunProgress
      work={bulk}
      settled={bulk.enrolled + bulk.skipped}
      label="Segment enrollment"
      progressLabel="Enrollment progress"
      words={wordsOf(bulk, graph)}
      stop={<Cancel bulk={bulk} />}
    />
  );
}

function wordsOf({ segment, status, total, enrolled, skipped, reasons }: Bulk, { status: sequence }: SequenceGraph): string {
  const of = status === 'completed' ? '' : ` of ${total.toLocaleString('en')}`;
  const left = Object.entries(reasons).map(
    ([reason, count]) => `${(count ?? 0).toLocaleString('en')} ${REASONS[reason as keyof typeof REASONS]}`,
  );
  const skippedWords = skipped > 0 ? `, ${skipped.toLocaleString('en')} left out (${left.join(', ')})` : '';
  const end =
    status === 'cancelled' ? '; cancelled' : status === 'running' && sequence !== 'active' ? '; waits until the sequence is active' : '';
  return `Segment ${segment}: ${enrolled.toLocaleString('en')}${of} enrolled${skippedWords}${end}`;
}

function Cancel({ bulk: { id, sequence_key: key, segment } }: { readonly bulk: Bulk }): ReactNode {
  const { may } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => answerOf(api.DELETE('/sequences/{key}/bulk-enrollments/{id}', { params: { path: { key, id } } })),
    onSuccess: () => setIsAsked(false),
    onSettled: () => queries.invalidateQueries({ queryKey: bulkQuery(key).queryKey }),
  });
  if (!may('DELETE /sequences/{key}/bulk-enrollments/{id}')) return null;
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsAsked(true)}>
        Cancel…
      </Button>
      <Confirm opened={isAsked} onClose={() => setIsAsked(false)} title="Stop enrolling?" action="Stop enrolling" isFinal mutation={cancel}>
        <Text size="sm">Who of {segment} has entered stays in the sequence; the others do not enter.</Text>
      </Confirm>
    </>
  );
}
