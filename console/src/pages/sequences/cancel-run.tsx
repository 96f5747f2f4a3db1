import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { type RunWithSteps, SEQUENCES } from './sequence-queries.ts';

/** Ends a run for good, after a question. */
export function CancelRun({ run }: { readonly run: RunWithSteps }): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => answerOf(api.DELETE('/enrollments/{id}', { params: { path: { id: run.id } } })),
    onSuccess: async () => {
      setIsAsked(false);
      notifyDone('Run cancelled');
      await queries.invalidateQueries({ queryKey: SEQUENCES });
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        Cancel run…
      </Button>
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title="Cancel this run?"
        action="Cancel run"
        keep="Keep running"
        isFinal
        mutation={cancel}
      >
        <Text size="sm">Its remaining steps will not run. Emails already sent are not recalled. This cannot be undone.</Text>
      </Confirm>
    </>
  );
}
