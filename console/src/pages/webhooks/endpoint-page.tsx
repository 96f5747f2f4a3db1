import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Detail, DetailSkeleton, Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Gone } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Time } from '../../show/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointStatus } from './endpoint-status.tsx';
import { PingAnswer, type Pinged } from './ping-answer.tsx';
import { RetryAll } from './retry-all.tsx';
import { SuccessRate } from './success-rate.tsx';
import { TryPending } from './try-pending.tsx';
import { useRetry } from './use-retry.ts';
import { type Endpoint, endpointsQuery } from './webhook-queries.ts';

const ENDPOINT_LIST = { to: '/', label: 'Webhooks' };

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
      back={ENDPOINT_LIST}
      actions={endpoint ? <EndpointActions endpoint={endpoint} onPinged={setPinged} /> : undefined}
    >
      {error && !data ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {isGone ? <Gone what="endpoint" back={ENDPOINT_LIST} /> : null}
      {endpoint ? (
        <>
          {pinged ? <PingAnswer pinged={pinged} onClose={() => setPinged(undefined)} /> : null}
          <Detail
            main={
              <>
                <Retries endpoint={endpoint} />
                <Deliveries endpoint={endpoint} />
              </>
            }
            aside={<About endpoint={endpoint} />}
          />
        </>
      ) : null}
      {data || error ? null : <DetailSkeleton />}
    </Page>
  );
}

/** What is to be tried again. */
function Retries({ endpoint }: { readonly endpoint: Endpoint }): ReactNode {
  const retried = useRetry(endpoint);
  if (!retried) return null;
  return (
    <>
      <RetryAll endpoint={endpoint} retried={retried} />
      <TryPending endpoint={endpoint} waiting={retried.waiting} />
    </>
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
        <Fact name="Response bodies">{endpoint.keep_answers ? 'Kept with each delivery' : 'Not kept'}</Fact>
        <Fact name="Latest deliveries">
          <SuccessRate id={endpoint.id} />
        </Fact>
        <Fact name="Added">
          <Time at={endpoint.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}
