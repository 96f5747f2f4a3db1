import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Detail, Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { Empty } from '../../show/empty.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Time } from '../../show/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointStatus } from './endpoint-status.tsx';
import { PingAnswer, type Pinged } from './ping-answer.tsx';
import { SuccessRate } from './success-rate.tsx';
import { type Endpoint, endpointsQuery } from './webhook-queries.ts';

/** One endpoint: what it gets, and how each delivery went. */
export function EndpointPage({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(endpointsQuery());
  const [pinged, setPinged] = useState<Pinged>();
  const endpoint = data?.find((one) => one.id === id);
  const isGone = data !== undefined && !endpoint;
  return (
    <Page
      title={endpoint?.url ?? (error || isGone ? 'Endpoint' : undefined)}
      beside={endpoint ? <EndpointStatus endpoint={endpoint} /> : undefined}
      back={{ to: '/', label: 'Webhooks' }}
      actions={endpoint ? <EndpointActions endpoint={endpoint} onPinged={setPinged} /> : undefined}
    >
      {error && !data ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {isGone ? <Empty title="There is no such endpoint" text="It may have been deleted meanwhile, or belong to another project." /> : null}
      {endpoint ? (
        <>
          {pinged ? <PingAnswer pinged={pinged} onClose={() => setPinged(undefined)} /> : null}
          <Detail main={<Deliveries id={id} />} aside={<About endpoint={endpoint} />} />
        </>
      ) : null}
    </Page>
  );
}

function About({ endpoint }: { readonly endpoint: Endpoint }): ReactNode {
  return (
    <Panel title="Endpoint">
      <Facts>
        <Fact name="Id">
          <CopiedId value={endpoint.id} name="endpoint id" />
        </Fact>
        <Fact name="URL">
          <CopiedId value={endpoint.url} name="URL" plain />
        </Fact>
        <Fact name="Events">{endpoint.events === null ? 'All' : endpoint.events.map((name) => <div key={name}>{name}</div>)}</Fact>
        <Fact name="Delivered">
          <SuccessRate id={endpoint.id} />
        </Fact>
        <Fact name="Added">
          <Time at={endpoint.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}
