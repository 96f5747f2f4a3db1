import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { NewSegment } from './new-segment.tsx';
import { SegmentList } from './segment-list.tsx';
import { SegmentPage } from './segment-page.tsx';
import { segmentsQuery } from './segment-queries.ts';

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
        <NewSegment />
      </Route>
      <Route path="/:id">{({ id }) => <SegmentPage key={id} id={id} />}</Route>
    </Switch>
  );
}
