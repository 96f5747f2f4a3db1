import { Anchor, Box, Button, Group, Table, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { MOST_ATTEMPTS } from '../../api/limits.ts';
import { inConsole } from '../../base.ts';
import { useSession } from '../../session/session.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Json } from '../../show/json.tsx';
import { notifyDone } from '../../show/notify.ts';
import { TemporalLink } from '../../show/temporal-link.tsx';
import { Time } from '../../show/time.tsx';
import classes from './deliveries.module.css';
import { type Delivery, WEBHOOKS } from './webhook-queries.ts';

interface Given {
  readonly endpoint: string;
  readonly delivery: Delivery;
}

/** What became of asking for the next attempt now. */
const OUTCOMES = {
  due: 'Its next attempt is made now',
  under_way: 'An attempt is under way already: nothing was changed',
  held: 'The endpoint is disabled: nothing was attempted',
  settled: 'It was settled meanwhile: nothing was attempted',
} as const;

/** Every attempt of a delivery, what was sent, and another try. */
export function DeliveryDetails({ endpoint, delivery }: Given): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const sendId = delivery.payload.data.send_id;
  const isPending = delivery.status === 'pending';
  const params = { path: { id: endpoint, deliveryId: delivery.id } };
  const tryAgain = useMutation({
    mutationFn: async () => {
      if (isPending) return OUTCOMES[(await answerOf(api.POST('/webhooks/{id}/deliveries/{deliveryId}/attempt', { params }))).outcome];
      await answerOf(api.POST('/webhooks/{id}/deliveries/{deliveryId}/retry', { params }));
      return 'It is tried again';
    },
    onSuccess: notifyDone,
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
        <Group gap="xs">
          <TemporalLink workflowId={delivery.workflow_id} />
          {may('POST /webhooks/{id}/deliveries/{deliveryId}/retry') ? (
            <Button
              variant="default"
              leftSection={<IconRefresh size={14} />}
              loading={tryAgain.isPending}
              onClick={() => tryAgain.mutate()}
            >
              {isPending ? 'Try now' : 'Retry'}
            </Button>
          ) : null}
        </Group>
      </Group>
      {typeof sendId === 'string' && may('GET /sends/{id}') ? (
        <Anchor component={Link} href={inConsole(`/sends/${encodeURIComponent(sendId)}`)} size="sm" w="fit-content">
          The mail that it is about
        </Anchor>
      ) : null}
      {tryAgain.error ? <FailureNotice error={tryAgain.error} /> : null}
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
        <>
          <Text size="xs" mt={6}>
            {log.length > 0 ? 'Next attempt' : 'First attempt'} <Time at={next} />
          </Text>
          <Text size="xs" c="dimmed">
            "Try now" does not wait for that: it is one of its {MOST_ATTEMPTS} attempts, and nothing is sent twice at once. For all that
            wait: More actions.
          </Text>
        </>
      ) : null}
    </Box>
  );
}
