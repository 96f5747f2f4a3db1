import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useArrival } from '../../frame/arrival.ts';
import { useFilters } from '../../frame/filters.ts';
import { Allowed, NotHere } from '../../frame/not-here.tsx';
import { EditPage } from './edit/edit-page.tsx';
import { FlowPage } from './flow-page.tsx';
import { RunList } from './run-list.tsx';
import { RunPage } from './run-page.tsx';
import { SEQUENCE_LIST } from './sequence-frame.tsx';
import { SequenceList } from './sequence-list.tsx';
import { sequencesQuery } from './sequence-queries.ts';
import { SimulatePage } from './simulate-page.tsx';
import { ALL_STARTERS, StarterList } from './starter-list.tsx';
import { StarterPage } from './starter-page.tsx';
import { VersionsPage } from './versions-page.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(sequencesQuery());
}

export default function SequencesSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <Sequences />
      </Route>
      <Route path="/:key">{({ key }) => <FlowPage key={key} sequence={key} />}</Route>
      <Route path="/:key/edit">
        {({ key }) => (
          <Allowed title="Sequence" back={SEQUENCE_LIST} deed="write sequences" operation="PUT /sequences/{key}">
            <EditPage key={key} sequence={key} />
          </Allowed>
        )}
      </Route>
      <Route path="/:key/simulate">
        {({ key }) => (
          <Allowed title="Simulate" back={SEQUENCE_LIST} deed="simulate sequences" operation="POST /sequences/{key}/simulate">
            <SimulatePage key={key} sequence={key} />
          </Allowed>
        )}
      </Route>
      <Route path="/:key/versions">{({ key }) => <VersionsPage key={key} sequence={key} />}</Route>
      <Route path="/:key/runs">{({ key }) => <RunList sequence={key} />}</Route>
      <Route path="/:key/runs/:id">{({ key, id }) => <RunPage key={id} sequence={key} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}

/** The list, or what a new sequence may begin as: any other path is the key of a sequence. */
function Sequences(): ReactNode {
  const starter = useFilters(['starter']).get('starter');
  useArrival(starter ? `/sequences?starter=${starter}` : '/sequences');
  if (starter === ALL_STARTERS) return <StarterList />;
  return starter ? <StarterPage key={starter} starter={starter} /> : <SequenceList />;
}
