import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPlayerTrackNext } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { MOST_ATTEMPTS } from '../../api/limits.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { countedDeliveries, TRY_PENDING } from './delivery-words.ts';
import { type Endpoint, WEBHOOKS } from './webhook-queries.ts';

interface Given {
  readonly endpoint: Endpoint;
  readonly waiting: number;
}

/** How many deliveries wait for their next attempt, and a way not to wait for it; nothing where none does, or the endpoint is disabled. */
export function TryPending({ endpoint, waiting }: Given): ReactNode {
  const { may } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      {waiting > 0 && endpoint.enabled ? (
        <Alert color="gray" role="group" aria-label="Pending deliveries">
          <Group justify="space-between" gap="sm">
            <Text size="sm">
              {countedDeliveries(waiting)} {waiting === 1 ? 'waits for its' : 'wait for their'} next attempt.
            </Text>
            {may('POST /webhooks/{id}/deliveries/attempt') ? (
              <Button variant="default" leftSection={<IconPlayerTrackNext size={14} />} onClick={() => setIsAsked(true)}>
                {TRY_PENDING}…
              </Button>
            ) : null}
          </Group>
        </Alert>
      ) : null}
      <Question endpoint={endpoint} waiting={waiting} opened={isAsked} onClose={() => setIsAsked(false)} />
    </>
  );
}

interface Asked extends Given {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Question({ endpoint: { id }, waiting, opened, onClose }: Asked): ReactNode {
  const queries = useQueryClient();
  const attempt = useMutation({
    mutationFn: async () => {
      for (let sum = 0; ; ) {
        const { due, hasMore } = await answerOf(api.POST('/webhooks/{id}/deliveries/attempt', { params: { path: { id } } }));
        sum += due;
        if (!hasMore) return sum;
      }
    },
    onSuccess: (sum) => {
      onClose();
      // Between the question and the answer each may have had its turn.
      notifyDone(
        sum === 0
          ? 'No delivery was waiting any more'
          : `Trying ${sum === 1 ? '1 pending delivery' : `${sum.toLocaleString('en')} pending deliveries`} now`,
      );
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [...WEBHOOKS, id] }),
  });
  return (
    <Confirm opened={opened} onClose={onClose} title={`${TRY_PENDING}?`} action={TRY_PENDING} mutation={attempt}>
      <Text size="sm">
        {countedDeliveries(waiting)} {waiting === 1 ? 'gets its' : 'get their'} next attempt now instead of later, the oldest first. It
        counts as one of the {MOST_ATTEMPTS} attempts that a delivery has, so ping first to check that the receiver answers again.
        Deliveries that failed for good are not tried: for those choose “Retry all failed”.
      </Text>
    </Confirm>
  );
}
