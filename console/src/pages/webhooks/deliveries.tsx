import { Accordion, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { ChoiceFilter } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { PageButtons } from '../../frame/list.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { Empty } from '../../show/empty.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import classes from './deliveries.module.css';
import { DeliveryDetails } from './delivery-details.tsx';
import { type Delivery, type DeliveryFilter, deliveriesQuery } from './webhook-queries.ts';

const STATUSES: readonly Delivery['status'][] = ['pending', 'delivered', 'failed'];

/** What was sent to an endpoint, newest first; each opens to its attempts. */
export function Deliveries({ id }: { readonly id: string }): ReactNode {
  const filters = useFilters(['status']);
  const position = usePosition();
  const { data, error, isPlaceholderData, refetch } = useQuery(deliveriesQuery(id, { ...(filters.given as DeliveryFilter), ...position }));
  const paging = usePaging(data);
  return (
    <Panel
      title="Deliveries"
      flush
      action={<ChoiceFilter filters={filters} name="status" label="Delivery status" choices={STATUSES} width={150} />}
    >
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data ? <Rows id={id} deliveries={data.deliveries} isFiltered={filters.any} isChanging={isPlaceholderData} /> : null}
      {data || error ? null : <Reading />}
      <PageButtons paging={paging} />
    </Panel>
  );
}

interface RowsGiven {
  readonly id: string;
  readonly deliveries: readonly Delivery[];
  readonly isFiltered: boolean;
  readonly isChanging: boolean;
}

function Rows({ id, deliveries, isFiltered, isChanging }: RowsGiven): ReactNode {
  if (deliveries.length === 0) {
    return isFiltered ? (
      <Empty title="No delivery matches" text="Choose another status." />
    ) : (
      <Empty title="Nothing was sent yet" text="What happens from now on comes here. A ping is sent at once and is not kept." />
    );
  }
  return (
    <Accordion multiple chevronPosition="left" aria-busy={isChanging} order={3}>
      {deliveries.map((delivery) => (
        <Accordion.Item key={delivery.id} value={delivery.id}>
          <Accordion.Control className={classes.control}>
            <div className={classes.delivery}>
              <Text size="sm" fw={500} truncate className={classes.words}>
                {delivery.event_type}
              </Text>
              <Text size="xs" c="dimmed" className={classes.answer}>
                {answerWords(delivery)}
              </Text>
              <Status value={delivery.status} />
              <Text size="sm" c="dimmed" className={classes.time}>
                <Time at={delivery.created_at} />
              </Text>
            </div>
          </Accordion.Control>
          <Accordion.Panel>
            <DeliveryDetails endpoint={id} delivery={delivery} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function answerWords({ attempts, response_status, status }: Delivery): string {
  if (attempts === 0) return '';
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  if (response_status === null) return status === 'pending' ? tries : `${tries}, no answer`;
  return `${tries}, answered ${response_status}`;
}

function Reading(): ReactNode {
  return (
    <Stack gap="md" p="md" aria-busy>
      {[220, 180, 240].map((width) => (
        <Skeleton key={width} h={14} w={width} />
      ))}
    </Stack>
  );
}
