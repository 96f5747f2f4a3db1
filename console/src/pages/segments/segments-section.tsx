import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Allowed, NotHere } from '../../frame/not-here.tsx';
import { NewSegment } from './new-segment.tsx';
import { SegmentList } from './segment-list.tsx';
import { SegmentPage } from './segment-page.tsx';
import { SEGMENT_LIST, segmentsQuery } from './segment-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(segmentsQuery());
}

export default function SegmentsSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <SegmentList />
      </Route>
      <Route path="/new">
        <Allowed title="New segment" back={SEGMENT_LIST} deed="make segments" operation="POST /segments">
          <NewSegment />
        </Allowed>
      </Route>
      <Route path="/:id">{({ id }) => <SegmentPage key={id} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
