import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFilters } from '../../../frame/filters.ts';
import { Page } from '../../../frame/page.tsx';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { graphQuery, versionQuery } from '../sequence-queries.ts';
import { GraphEditor } from './graph-editor.tsx';

/** One sequence while it is changed, on the canvas or as JSON. */
export function EditPage({ sequence }: { readonly sequence: string }): ReactNode {
  const from = Number(useFilters(['from']).get('from')) || undefined;
  const { data: graph, error: graphError, refetch: readGraph } = useQuery(graphQuery(sequence));
  const {
    data: start,
    error: startError,
    refetch: readStart,
  } = useQuery({ ...versionQuery(sequence, from ?? 0), enabled: from !== undefined });
  const error = graphError ?? startError;
  if (graph && (start || from === undefined)) return <GraphEditor key={from} graph={graph} start={start} />;
  return (
    <Page title={error ? 'Sequence' : undefined} back={{ to: `/${sequence}`, label: 'Sequence' }}>
      {error ? <FailureNotice error={error} onRetry={() => void (graphError ? readGraph() : readStart())} /> : null}
    </Page>
  );
}
