import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { TemporalLink } from '../../show/temporal-link.tsx';
import { Time } from '../../show/time.tsx';
import { contactQuery } from '../contacts/contact-queries.ts';
import { CancelRun } from './cancel-run.tsx';
import { GraphCanvas } from './graph/graph-canvas.tsx';
import { wayMarks } from './graph/marks.ts';
import { RunEnding } from './run-ending.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunStatus } from './run-status.tsx';
import { RunSteps } from './run-steps.tsx';
import { waitingWords } from './run-words.ts';
import { graphQuery, type RunWithSteps, runQuery, type SequenceGraph, versionQuery } from './sequence-queries.ts';
import { capWords } from './settings-words.ts';
import { Workbench } from './workbench.tsx';

interface Given {
  /** The key of the sequence. */
  readonly sequence: string;
  readonly id: string;
}

/** One run: its way over the graph, with times and outcomes. */
export function RunPage({ sequence, id }: Given): ReactNode {
  const { data: current, error: currentError, refetch: readCurrent } = useQuery(graphQuery(sequence));
  const read = useInfiniteQuery(runQuery(id));
  const { data: run, error: runError, refetch: readRun } = read;
  const isOlder = run !== undefined && current !== undefined && run.sequence_version !== current.version;
  const older = useQuery({ ...versionQuery(sequence, run?.sequence_version ?? 0), enabled: isOlder });
  /** The one that the run follows. */
  const graph = isOlder ? older.data : current;
  const { may } = useSession();
  const { data: contact } = useQuery({ ...contactQuery(run?.contact_id ?? ''), enabled: run !== undefined && may('GET /contacts/{id}') });
  const error = currentError ?? runError ?? older.error;
  const actions = run ? (
    <>
      <TemporalLink workflowId={run.workflow_id} />
      {run.status === 'active' ? <Cancel run={run} /> : null}
    </>
  ) : undefined;
  return (
    <Page
      title={run ? (contact ? `Run of ${contact.email}` : 'Run') : error ? 'Run' : undefined}
      beside={run ? <RunBeside run={run} /> : undefined}
      description={run ? whereItStands(run, graph && capWords(graph)) : undefined}
      back={{ to: `/${sequence}/runs`, label: current ? `Runs of ${current.name}` : 'Runs' }}
      actions={actions}
      isWide
    >
      {error ? (
        <Unread
          error={error}
          onRetry={() => void Promise.all([readCurrent(), readRun(), ...(isOlder ? [older.refetch()] : [])])}
          {...(currentError
            ? { what: 'sequence', back: { to: '/', label: 'Sequences' } }
            : { what: 'run', back: { to: `/${sequence}/runs`, label: 'Runs' } })}
        />
      ) : null}
      {graph && run ? (
        <Way graph={graph} run={run} email={contact?.email} latest={current?.version ?? graph.version} earlier={earlierOf(read)} />
      ) : null}
    </Page>
  );
}

function Cancel({ run }: { readonly run: RunWithSteps }): ReactNode {
  const { may } = useSession();
  if (may('DELETE /enrollments/{id}')) return <CancelRun run={run} />;
  return <ReadsOnly things="runs" doing="cancelling" operation="DELETE /enrollments/{id}" />;
}

function RunBeside({ run: { status, sandboxed } }: { readonly run: RunWithSteps }): ReactNode {
  return (
    <>
      <RunStatus status={status} />
      {sandboxed ? <Sandboxed what="run" /> : null}
    </>
  );
}

function whereItStands(run: RunWithSteps, cap: string | undefined): ReactNode {
  const { status, waiting_for, wakes_at, ended_at } = run;
  if (status !== 'active') {
    return (
      <>
        <RunEnding {...run} />
        {ended_at ? (
          <>
            {', '}
            <Time at={ended_at} />
          </>
        ) : null}
      </>
    );
  }
  if (!waiting_for) return 'In progress';
  return (
    <>
      {waitingWords(waiting_for, cap)}
      {wakes_at ? <NextStep at={wakes_at} /> : null}
    </>
  );
}

function NextStep({ at }: { readonly at: string }): ReactNode {
  if (Date.parse(at) <= Date.now()) return ', due now';
  return (
    <>
      {', next step '}
      <Time at={at} />
    </>
  );
}

/** The way to the steps before those that are shown. */
interface Earlier {
  readonly isLoading: boolean;
  readonly show: () => void;
}

function earlierOf({ hasNextPage, isFetchingNextPage, fetchNextPage }: ReturnType<typeof useInfiniteQuery>): Earlier | undefined {
  return hasNextPage ? { isLoading: isFetchingNextPage, show: () => void fetchNextPage() } : undefined;
}

interface WayGiven {
  readonly graph: SequenceGraph;
  readonly run: RunWithSteps;
  readonly email: string | undefined;
  /** The version of the sequence now. */
  readonly latest: number;
  readonly earlier: Earlier | undefined;
}

function Way({ graph, run, email, latest, earlier }: WayGiven): ReactNode {
  const [selected, setSelected] = useState(run.status === 'active' ? (run.current_node_id ?? undefined) : undefined);
  // As it was when the page was opened: the canvas does not move under the reader.
  const [way] = useState(() => run.steps.map(({ node_id }) => node_id));
  const marks = useMemo(() => {
    const isHere = (index: number): boolean => run.status === 'active' && index === run.steps.length - 1;
    const steps = run.steps.map(({ node_id, outcome }, index) => ({
      nodeId: node_id,
      outcome,
      isBad: outcome === 'failed',
      isHere: isHere(index),
    }));
    return wayMarks(steps, graph.edges);
  }, [graph.edges, run]);
  return (
    <Workbench
      canvas={<GraphCanvas graph={graph} marks={marks} selected={selected} onSelect={setSelected} label="Path of the run" way={way} />}
      aside={
        <>
          <RunFacts run={run} email={email} latest={latest} />
          <Panel title={`Steps (${(run.steps.at(-1)?.number ?? 0).toLocaleString('en')})`}>
            {earlier ? (
              <Button variant="subtle" color="gray" fullWidth mb="sm" loading={earlier.isLoading} onClick={earlier.show}>
                Show earlier ones
              </Button>
            ) : null}
            <RunSteps graph={graph} run={run} onSelect={setSelected} />
          </Panel>
        </>
      }
    />
  );
}
