import { Box, Button, Group, Table, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Json } from '../../show/json.tsx';
import { notifyDone } from '../../show/notify.ts';
import { Time } from '../../show/time.tsx';
import classes from './deliveries.module.css';
import { type Delivery, WEBHOOKS } from './webhook-queries.ts';

interface Given {
  readonly endpoint: string;
  readonly delivery: Delivery;
}

/** Every attempt of a delivery, what was sent, and another try. */
export function DeliveryDetails({ endpoint, delivery }: Given): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: () =>
      answerOf(api.POST('/webhooks/{id}/deliveries/{deliveryId}/retry', { params: { path: { id: endpoint, deliveryId: delivery.id } } })),
    onSuccess: () => notifyDone('It is tried again'),
    onSettled: () => queries.invalidateQueries({ queryKey: [...WEBHOOKS, endpoint] }),
  });
  return (
    <div className={classes.details}>
      <Group justify="space-between" gap="sm">
        <Group gap={6} miw={0} wrap="nowrap">
          <Text size="xs" c="dimmed">
            webhook-id
          </Text>
          <CopiedId value={delivery.id} name="delivery id" />
        </Group>
        {may('webhooks:write') && delivery.status !== 'pending' ? (
          <Button variant="default" leftSection={<IconRefresh size={14} />} loading={retry.isPending} onClick={() => retry.mutate()}>
            Retry
          </Button>
        ) : null}
      </Group>
      {retry.error ? <FailureNotice error={retry.error} /> : null}
      <Attempts delivery={delivery} />
      <Json value={delivery.payload} label="What is sent" />
    </div>
  );
}

function Attempts({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const { attempt_log: log, status, next_attempt_at: next } = delivery;
  return (
    <Box>
      {log.length > 0 ? (
        <Table aria-label="Attempts" verticalSpacing={5} horizontalSpacing={0} fz="xs">
          <Table.Thead>
            <Table.Tr c="dimmed">
              <Table.Th fw={500}>Attempt</Table.Th>
              <Table.Th fw={500}>Answer</Table.Th>
              <Table.Th fw={500} ta="right">
                Took
              </Table.Th>
              <Table.Th fw={500} ta="right">
                When
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {log.map((attempt) => (
              <Table.Tr key={`${attempt.series} ${attempt.number}`}>
                <Table.Td>
                  {attempt.number}
                  {attempt.series > 1 ? ` of retry ${attempt.series - 1}` : ''}
                </Table.Td>
                <Table.Td>{attempt.error ?? attempt.status ?? 'none'}</Table.Td>
                <Table.Td ta="right">{attempt.milliseconds === null ? '–' : `${attempt.milliseconds.toLocaleString('en')} ms`}</Table.Td>
                <Table.Td ta="right">
                  <Time at={attempt.at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
      {status === 'pending' ? (
        <Text size="xs" c="dimmed" mt={6}>
          {log.length > 0 ? 'Next attempt' : 'First attempt'} <Time at={next} />. It cannot be hurried: what is under way is not sent twice
          at once. A retry by hand is possible once it is settled.
        </Text>
      ) : null}
    </Box>
  );
}
