import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { TOPICS, type Topic } from './topic-queries.ts';

/** Asks before a topic is deleted; undefined: nothing is asked. */
export function DeleteTopic({ topic, onClose }: { readonly topic: Topic | undefined; readonly onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/topics/{key}', { params: { path: { key: topic?.key ?? '' } } })),
    onSuccess: async () => {
      notifyDone(`${topic?.name} deleted`);
      await queries.invalidateQueries({ queryKey: TOPICS });
      onClose();
    },
  });
  return (
    <Confirm
      opened={topic !== undefined}
      onClose={onClose}
      title={`Delete ${topic?.name ?? ''}?`}
      action="Delete topic"
      isFinal
      mutation={remove}
    >
      <Text size="sm">
        Campaigns and sequences that send to this topic reach nobody from now on. What people chose is kept, and counts again if you add a
        topic with the key {topic?.key}.
      </Text>
    </Confirm>
  );
}
