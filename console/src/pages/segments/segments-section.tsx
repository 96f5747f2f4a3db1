import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { KeyMayNot, NotHere } from '../../frame/not-here.tsx';
import { useSession } from '../../session/session.tsx';
import { NewSegment } from './new-segment.tsx';
import { SegmentList } from './segment-list.tsx';
import { SegmentPage } from './segment-page.tsx';
import { segmentsQuery } from './segment-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(segmentsQuery());
}

export default function SegmentsSection(): ReactNode {
  const { may } = useSession();
  return (
    <Switch>
      <Route path="/">
        <SegmentList />
      </Route>
      <Route path="/new">
        {may('contacts:write') ? (
          <NewSegment />
        ) : (
          <KeyMayNot title="New segment" back={{ to: '/', label: 'Segments' }} deed="make segments" scope="contacts:write" />
        )}
      </Route>
      <Route path="/:id">{({ id }) => <SegmentPage key={id} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
