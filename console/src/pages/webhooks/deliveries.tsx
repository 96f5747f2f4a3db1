import { Accordion, Box, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { ChoiceFilter, DaysFilter, FilterBar, TextFilter } from '../../frame/filter-bar.tsx';
import { type Filters, useFilters, withMoments } from '../../frame/filters.ts';
import { PageButtons } from '../../frame/list.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { Empty } from '../../show/empty.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Time } from '../../show/time.tsx';
import classes from './deliveries.module.css';
import { DeliveryDetails } from './delivery-details.tsx';
import { DeliveryStatus } from './delivery-status.tsx';
import { EVENT_WORDS } from './event-words.ts';
import { type Delivery, deliveriesQuery, type Endpoint } from './webhook-queries.ts';

const STATUSES: Readonly<Record<Delivery['status'], string>> = { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' };

const FILTERS = ['q', 'status', 'eventType', 'from', 'to'];

/** What was sent to an endpoint, newest first; each opens to its attempts. */
export function Deliveries({ endpoint }: { readonly endpoint: Endpoint }): ReactNode {
  const filters = useFilters(FILTERS);
  const position = usePosition();
  const { data, error, isPlaceholderData, refetch } = useQuery(
    deliveriesQuery(endpoint.id, { ...withMoments(filters.given), ...position }),
  );
  const paging = usePaging(data);
  return (
    <Panel title="Deliveries" flush>
      <Box className={classes.filters}>
        <FilterBar
          filters={filters}
          rows={data?.deliveries}
          search={<TextFilter filters={filters} name="q" label="Search deliveries" placeholder="Full delivery or event ID" isSearch />}
        >
          <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} width={120} />
          <ChoiceFilter
            filters={filters}
            name="eventType"
            label="Event type"
            choices={eventTypes(endpoint, filters.get('eventType')).map((type) => ({ value: type, label: type }))}
            width={190}
            isLong
          />
          <DaysFilter filters={filters} />
        </FilterBar>
      </Box>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data ? (
        <Rows
          id={endpoint.id}
          deliveries={data.deliveries}
          filters={filters}
          hasMore={paging.next !== undefined}
          isChanging={isPlaceholderData}
        />
      ) : null}
      {data || error ? null : <Reading />}
      <PageButtons paging={paging} />
    </Panel>
  );
}

/** What the endpoint gets, and what a link asks for that it got before it was changed. */
function eventTypes({ events }: Endpoint, asked: string): readonly string[] {
  const types: readonly string[] = events ?? Object.keys(EVENT_WORDS);
  return asked === '' || types.includes(asked) ? types : [...types, asked];
}

interface RowsGiven {
  readonly id: string;
  readonly deliveries: readonly Delivery[];
  readonly filters: Filters;
  /** There may be others on the next page, also where this one is empty. */
  readonly hasMore: boolean;
  readonly isChanging: boolean;
}

function Rows({ id, deliveries, filters, hasMore, isChanging }: RowsGiven): ReactNode {
  if (deliveries.length === 0) {
    return filters.any ? (
      <Empty
        title={hasMore ? 'No recent deliveries match' : 'No deliveries match'}
        text={hasMore ? 'Go to the next page to search older ones.' : 'Change or clear the filters.'}
        action={
          <Button variant="default" mt="xs" onClick={filters.clear}>
            Clear filters
          </Button>
        }
      />
    ) : (
      <Empty title="Nothing sent yet" text="Deliveries appear here as events happen. Pings are sent at once and are not listed." />
    );
  }
  return (
    <Accordion multiple chevronPosition="left" role="list" aria-label="Deliveries" aria-busy={isChanging}>
      {deliveries.map((delivery) => (
        <Accordion.Item key={delivery.id} value={delivery.id} role="listitem">
          <Accordion.Control className={classes.control}>
            <div className={classes.delivery}>
              <Text size="sm" truncate className={classes.words}>
                <Text span inherit fw={500}>
                  {delivery.event_type}
                </Text>{' '}
                <Text span inherit c="dimmed">
                  {recipientOf(delivery)}
                </Text>
              </Text>
              <Text size="xs" c="dimmed" className={classes.answer}>
                {answerWords(delivery)}
              </Text>
              <DeliveryStatus delivery={delivery} />
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

/** Whom the event is about, where it is about somebody. */
function recipientOf({ payload: { data } }: Delivery): string {
  return typeof data.email === 'string' ? data.email : '';
}

function answerWords({ attempts, attempt_log: log, response_status, status }: Delivery): string {
  // A retry counts anew.
  const before = log.length - attempts;
  const tries = before > 0 ? `${counted(before)}, retried, ${attempts} more` : counted(attempts);
  if (attempts === 0) return before > 0 ? tries : '';
  if (response_status === null) return status === 'pending' ? tries : `${tries}, no answer`;
  return `${tries}, answered ${response_status}`;
}

function counted(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
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
