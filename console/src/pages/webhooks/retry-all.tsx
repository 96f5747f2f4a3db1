import { Alert, Button, Group, Progress, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { MOST_ATTEMPTS } from '../../api/limits.ts';
import { useDismissed } from '../../session/dismissed.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { TemporalLink } from '../../show/temporal-link.tsx';
import { countedDeliveries } from './delivery-words.ts';
import type { Retried } from './use-retry.ts';
import { type Endpoint, WEBHOOKS } from './webhook-queries.ts';

type Retry = Schemas['WebhookRetry'];

const STATUS_LABEL = 'Retry of all failed deliveries';
/** Who has not looked in the meantime is not told of an old one. */
const ENDED_SHOWN_MS = 86_400_000;

interface Given {
  readonly endpoint: Endpoint;
  readonly retried: Retried;
}

/**
 * What an endpoint was refused for good, with another try of all of it, and how far that is; after its end until somebody has seen it. Nothing
 * where nothing has failed.
 */
export function RetryAll({ endpoint, retried: { failed, retry } }: Given): ReactNode {
  const { may } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  const isRunning = retry?.status === 'running';
  return (
    <>
      {isRunning ? <Running endpoint={endpoint} retry={retry} /> : retry ? <Ended key={retry.id} retry={retry} /> : null}
      {failed > 0 && !isRunning ? (
        <Alert color="gray" role="group" aria-label="Failed deliveries">
          <Group justify="space-between" gap="sm">
            <Text size="sm">{failedWords(failed)} failed for good.</Text>
            {may('POST /webhooks/{id}/retries') ? (
              <Button variant="default" leftSection={<IconRefresh size={14} />} onClick={() => setIsAsked(true)}>
                Retry all failed…
              </Button>
            ) : null}
          </Group>
        </Alert>
      ) : null}
      <Question endpoint={endpoint} failed={failed} opened={isAsked} onClose={() => setIsAsked(false)} />
    </>
  );
}

function failedWords(failed: number): string {
  return `${countedDeliveries(failed)} ${failed === 1 ? 'has' : 'have'}`;
}

function Running({ endpoint, retry }: { readonly endpoint: Endpoint; readonly retry: Retry }): ReactNode {
  const { retried, total, workflow_id } = retry;
  return (
    <Alert color="blue" role="status" aria-label={STATUS_LABEL}>
      <Group justify="space-between" gap="sm" mb={6}>
        <Text size="sm">
          {retriedWords(retry)}
          {outcomeWords(retry)}
          {endpoint.enabled ? '' : '; the rest wait until the endpoint is enabled'}
        </Text>
        <TemporalLink workflowId={workflow_id} />
      </Group>
      <Progress value={total > 0 ? (100 * retried) / total : 0} size="sm" aria-label="Progress of the retry" />
    </Alert>
  );
}

function Ended({ retry }: { readonly retry: Retry }): ReactNode {
  const [isDismissed, setDismissed] = useDismissed(`retry.${retry.id}`);
  const isOld = Date.parse(retry.ended_at ?? '') < Date.now() - ENDED_SHOWN_MS;
  if (isDismissed || isOld) return null;
  return (
    <Alert
      color="blue"
      role="status"
      aria-label={STATUS_LABEL}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={() => setDismissed(true)}
    >
      <Text size="sm">
        {retriedWords(retry)}
        {retry.status === 'cancelled' ? ', then the retry was cancelled' : ''}
        {outcomeWords(retry)}. The list below shows how each one fared.
      </Text>
    </Alert>
  );
}

function retriedWords({ retried, total }: Retry): string {
  return `${retried.toLocaleString('en')} of ${total.toLocaleString('en')} retried`;
}

/** What has come of those that were retried, as far as it is known. */
function outcomeWords({ retried, delivered, failed_again }: Retry): string {
  if (retried === 0 || delivered === null || failed_again === null) return '';
  const counts = [
    { count: delivered, words: 'delivered', isSaid: true },
    { count: failed_again, words: 'failed again' },
    { count: retried - delivered - failed_again, words: 'pending' },
  ];
  const said = counts
    .filter(({ count, isSaid = false }) => count > 0 || isSaid)
    .map(({ count, words }) => `${count.toLocaleString('en')} ${words}`);
  return `: ${said.join(', ')}`;
}

interface Asked {
  readonly endpoint: Endpoint;
  readonly failed: number;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Question({ endpoint: { id }, failed, opened, onClose }: Asked): ReactNode {
  const queries = useQueryClient();
  const begin = useMutation({
    mutationFn: () => answerOf(api.POST('/webhooks/{id}/retries', { params: { path: { id } }, body: {} })),
    onSuccess: ({ retry: { total } }) => {
      onClose();
      notifyDone(total === 1 ? 'Retrying 1 delivery' : `Retrying ${total.toLocaleString('en')} deliveries`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [...WEBHOOKS, id] }),
  });
  return (
    <Confirm opened={opened} onClose={onClose} title="Retry all failed deliveries?" action="Retry all failed" mutation={begin}>
      <Text size="sm">
        {failedWords(failed)} failed and {failed === 1 ? 'gets' : 'get'} {MOST_ATTEMPTS} new attempts{failed === 1 ? '' : ' each'}, the
        oldest first. Your receiver sees each under the same webhook-id as before. New events are not held up. Ping first to check that it
        answers again.
      </Text>
    </Confirm>
  );
}
