import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { useSession } from '../../session/session.tsx';
import { Time } from '../../show/time.tsx';
import { EndpointStatus } from './endpoint-status.tsx';
import { subscriptionWords } from './event-words.ts';
import { NewEndpoint } from './new-endpoint.tsx';
import { SuccessRate } from './success-rate.tsx';
import { type Endpoint, endpointsQuery } from './webhook-queries.ts';

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    title: 'Endpoint',
    hasTwoLines: true,
    cell: (endpoint) => <RowName name={endpoint.url} more={subscriptionWords(endpoint)} />,
  },
  { title: 'Status', width: 118, cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  { title: 'Latest deliveries', isNamed: true, width: 210, align: 'right', cell: ({ id }) => <SuccessRate id={id} /> },
  { title: 'Added', isNamed: true, width: 116, align: 'right', cell: ({ created_at }) => <Time at={created_at} dimmed /> },
];

/** Where events are sent to. */
export function EndpointList(): ReactNode {
  const { may } = useSession();
  const [isAdding, setIsAdding] = useState(false);
  const { data, error, refetch } = useQuery(endpointsQuery());
  const add = may('POST /webhooks') ? (
    <Button leftSection={<IconPlus size={14} />} onClick={() => setIsAdding(true)}>
      Add endpoint
    </Button>
  ) : undefined;
  return (
    <Page
      title="Webhooks"
      description="URLs that receive signed notifications of what happens"
      actions={add ?? <ReadsOnly things="webhooks" doing="adding" operation="POST /webhooks" />}
    >
      <List
        label="Webhook endpoints"
        columns={COLUMNS}
        rows={data}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${id}`}
        error={error}
        onRetry={refetch}
        total={data?.length}
        empty={{
          title: 'No endpoints yet',
          text: 'An endpoint receives the events you choose, from the moment you add it.',
          action: add && (
            <Button variant="default" mt="sm" onClick={() => setIsAdding(true)}>
              Add your first endpoint
            </Button>
          ),
        }}
      />
      <NewEndpoint opened={isAdding} onClose={() => setIsAdding(false)} />
    </Page>
  );
}
