import { Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { randomKey } from '../../api/random-key.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { countQuery, segmentsQuery } from '../segments/segment-queries.ts';
import { bulkQuery, entersByDate, type SequenceGraph } from './sequence-queries.ts';

interface Given {
  readonly graph: SequenceGraph;
  readonly onDone: () => void;
}

/** Enrolls all members of a segment at once: how many they are is said before. */
export function SegmentEnroll({ graph: { key, status, triggers }, onDone }: Given): ReactNode {
  const [segmentId, setSegmentId] = useState<string | null>(null);
  const { data: segments = [] } = useQuery(segmentsQuery());
  const { data: count } = useQuery({ ...countQuery(segmentId ?? ''), enabled: segmentId !== null, staleTime: 0 });
  const queries = useQueryClient();
  // The same call again after a failure is the same enrollment.
  const idempotencyKey = useRef(randomKey());
  const begin = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/sequences/{key}/bulk-enrollments', {
          params: { path: { key }, header: { 'Idempotency-Key': idempotencyKey.current } },
          body: { segmentId: segmentId ?? '' },
        }),
      ),
    onSuccess: async ({ bulk: { total } }) => {
      notifyDone(`${contacts(total)} ${total === 1 ? 'is' : 'are'} enrolled${status === 'active' ? '' : ' once the sequence is active'}`);
      onDone();
      await queries.invalidateQueries({ queryKey: bulkQuery(key).queryKey });
    },
  });
  const { props, errorOf, close } = useForm({
    faults: { segmentId: segmentId ? undefined : 'Choose a segment' },
    error: begin.error,
    isPending: begin.isPending,
    isUnsaved: false,
    onSubmit: () => begin.mutate(),
  });
  const choose = (id: string | null): void => {
    setSegmentId(id);
    idempotencyKey.current = randomKey();
    begin.reset();
  };
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm">
          {triggers.some(entersByDate)
            ? 'Everyone in it now starts at once, whatever their date.'
            : 'Everyone in the segment now starts from the first step.'}{' '}
          Contacts who join later do not, unless the segment is a trigger.
        </Text>
        <Select
          label="Segment"
          placeholder="Choose a segment"
          searchable
          required
          allowDeselect={false}
          data-autofocus
          nothingFoundMessage="No matching segments"
          data={segments.map(({ id, label }) => ({ value: id, label }))}
          value={segmentId}
          error={errorOf('segmentId')}
          onChange={choose}
        />
        {segmentId ? (
          <Text size="sm" role="status">
            {count === undefined ? 'Counting…' : `${contacts(count)} in it now. Those who cannot enter are skipped and counted.`}
          </Text>
        ) : null}
        {begin.error ? <FailureNotice error={begin.error} /> : null}
        <FormEnd action={count ? `Enroll ${contacts(count)}` : 'Enroll'} isPending={begin.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}

function contacts(count: number): string {
  return count === 1 ? '1 contact' : `${count.toLocaleString('en')} contacts`;
}
