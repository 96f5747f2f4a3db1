import { Anchor, Box, Button, Group, Table, Text } from '@mantine/core';
import { IconFlask, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
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
import { TRY_PENDING } from './delivery-words.ts';
import { ReceiverAnswer } from './receiver-answer.tsx';
import { TryOut } from './try-out.tsx';
import { type AnsweredDelivery, type Delivery, deliveryQuery, WEBHOOKS } from './webhook-queries.ts';

interface Given {
  readonly endpoint: string;
  readonly delivery: Delivery;
}

/** What became of asking for the next attempt now. */
const OUTCOMES = {
  due: 'Trying now',
  under_way: 'An attempt is already in progress',
  held: 'Not tried: the endpoint is disabled',
  settled: 'Not tried: the delivery has already finished',
} as const;

/** Every attempt of a delivery, what was sent, and another try. */
export function DeliveryDetails({ endpoint, delivery }: Given): ReactNode {
  const { may } = useSession();
  const [isTrying, setIsTrying] = useState(false);
  const queries = useQueryClient();
  const sendId = delivery.payload.data.send_id;
  const isPending = delivery.status === 'pending';
  const params = { path: { id: endpoint, deliveryId: delivery.id } };
  const tryAgain = useMutation({
    mutationFn: async () => {
      if (isPending) return OUTCOMES[(await answerOf(api.POST('/webhooks/{id}/deliveries/{deliveryId}/attempt', { params }))).outcome];
      await answerOf(api.POST('/webhooks/{id}/deliveries/{deliveryId}/retry', { params }));
      return 'Retrying';
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
          {may('POST /webhooks/{id}/ping') ? (
            <Button variant="default" leftSection={<IconFlask size={14} />} onClick={() => setIsTrying(true)}>
              Send as a test…
            </Button>
          ) : null}
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
          View email
        </Anchor>
      ) : null}
      {tryAgain.error ? <FailureNotice error={tryAgain.error} /> : null}
      <Attempts endpoint={endpoint} delivery={delivery} />
      <Json value={delivery.payload} label="Payload" />
      <TryOut
        {...{ endpoint, type: delivery.event_type, data: delivery.payload.data }}
        opened={isTrying}
        onClose={() => setIsTrying(false)}
      />
    </div>
  );
}

function Attempts({ endpoint, delivery }: Given): ReactNode {
  const { attempt_log: log, status, next_attempt_at: next } = delivery;
  const { data } = useQuery(deliveryQuery(endpoint, delivery.id, log.length));
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
                  {retryWords(attempt.series)}
                </Table.Td>
                <Table.Td>{attempt.error ?? attempt.status ?? 'none'}</Table.Td>
                <Table.Td ta="right">{attempt.milliseconds === null ? '–' : `${attempt.milliseconds.toLocaleString('en')} ms`}</Table.Td>
                <Table.Td ta="right">
                  <Time at={attempt.at} isExact />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
      <Answers log={data?.attempt_log ?? []} />
      {status === 'pending' ? (
        <>
          <Text size="xs" mt={6}>
            {log.length > 0 ? 'Next attempt' : 'First attempt'} <Time at={next} />
          </Text>
          <Text size="xs" c="dimmed">
            “Try now” makes this attempt at once. It counts as one of the {MOST_ATTEMPTS}. To do that for all pending deliveries, choose “
            {TRY_PENDING}” above the list.
          </Text>
        </>
      ) : null}
    </Box>
  );
}

/** What was answered to each attempt, as far as it is kept; each opens. */
function Answers({ log }: { readonly log: AnsweredDelivery['attempt_log'] }): ReactNode {
  return log.map(({ series, number, at, response }) => {
    if (!response) return null;
    const name = `attempt ${number}${retryWords(series)}`;
    return (
      <Box component="details" key={at} mt={8}>
        <Text component="summary" size="xs" style={{ cursor: 'pointer' }}>
          Response to {name}
        </Text>
        <ReceiverAnswer answer={response} label={name} />
      </Box>
    );
  });
}

/** Of which series an attempt is. */
function retryWords(series: number): string {
  return series > 1 ? ` of retry ${series - 1}` : '';
}
