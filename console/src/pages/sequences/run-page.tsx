import { Anchor, Button, Text } from '@mantine/core';
import { IconBan, IconFlag } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { type HappeningProps, Happenings } from '../../show/happenings.tsx';
import { notifyDone } from '../../show/notify.ts';
import { TemporalLink } from '../../show/temporal-link.tsx';
import { Time } from '../../show/time.tsx';
import { contactQuery } from '../contacts/contact-queries.ts';
import { KeyWords } from '../keys/key-words.tsx';
import { GraphCanvas } from './graph/graph-canvas.tsx';
import { iconOf } from './graph/kind-icon.tsx';
import { wayMarks } from './graph/marks.ts';
import { type GraphNode, nodeWords } from './graph/node-words.ts';
import { laterWords, Moment } from './moments.tsx';
import { RunStatus } from './run-status.tsx';
import { endWords, stepOutcomeWords, waitingWords } from './run-words.ts';
import { graphQuery, type RunWithSteps, runQuery, SEQUENCES, type SequenceGraph, versionQuery } from './sequence-queries.ts';
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
  const { data: contact } = useQuery({ ...contactQuery(run?.contact_id ?? ''), enabled: run !== undefined && may('contacts:read') });
  const error = currentError ?? runError ?? older.error;
  const actions = run ? (
    <>
      <TemporalLink workflowId={run.workflow_id} />
      {run.status === 'active' ? <CancelRun run={run} /> : null}
    </>
  ) : undefined;
  return (
    <Page
      title={run ? (contact ? `Run of ${contact.email}` : 'Run') : error ? 'Run' : undefined}
      beside={run ? <RunStatus status={run.status} /> : undefined}
      description={run ? whereItStands(run) : undefined}
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

function whereItStands(run: RunWithSteps): ReactNode {
  const { status, waiting_for, wakes_at, ended_at } = run;
  if (status !== 'active') {
    return (
      <>
        <Ending {...run} />
        {ended_at ? (
          <>
            {', '}
            <Time at={ended_at} />
          </>
        ) : null}
      </>
    );
  }
  if (!waiting_for) return 'On its way';
  return (
    <>
      {waitingWords(waiting_for)}
      {wakes_at ? (
        <>
          {', next step '}
          <Time at={wakes_at} />
        </>
      ) : null}
    </>
  );
}

/** Why it ended, and by which key where one cancelled it. */
function Ending({ end_reason, cancelled_by_key_id: keyId }: Pick<RunWithSteps, 'end_reason' | 'cancelled_by_key_id'>): ReactNode {
  if (!keyId) return end_reason ? endWords(end_reason) : 'Ended';
  return (
    <>
      Cancelled by <KeyWords id={keyId} />
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

function Way({
  graph,
  run,
  email,
  latest,
  earlier,
}: {
  readonly graph: SequenceGraph;
  readonly run: RunWithSteps;
  readonly email: string | undefined;
  /** The version of the sequence now. */
  readonly latest: number;
  readonly earlier: Earlier | undefined;
}): ReactNode {
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
      canvas={
        <GraphCanvas
          graph={graph}
          marks={marks}
          selected={selected}
          onSelect={setSelected}
          label="Way of the run over the graph"
          way={way}
        />
      }
      aside={
        <>
          <Panel title="Run">
            <Facts>
              <Fact name="Contact">
                <Anchor
                  component={Link}
                  href={inConsole(`/contacts/${run.contact_id}`)}
                  inherit
                  display="block"
                  truncate="end"
                  title={email ?? run.contact_id}
                >
                  {email ?? run.contact_id}
                </Anchor>
              </Fact>
              <Fact name="Version">
                {run.sequence_version}
                {run.sequence_version === latest ? '' : `, as drawn here; ${latest} is current`}
              </Fact>
              <Fact name="Started">
                <Moment at={run.started_at} />
              </Fact>
              <Fact name="Ended">
                {run.ended_at ? (
                  <>
                    <Moment at={run.ended_at} />, {laterWords(Date.parse(run.ended_at) - Date.parse(run.started_at))}
                  </>
                ) : null}
              </Fact>
              <Fact name="Failed steps">{run.failed_steps}</Fact>
              <Fact name="Id">
                <CopiedId value={run.id} name="run id" />
              </Fact>
            </Facts>
          </Panel>
          <Panel title={`Steps (${(run.steps.at(-1)?.number ?? 0).toLocaleString('en')})`}>
            {earlier ? (
              <Button variant="subtle" color="gray" fullWidth mb="sm" loading={earlier.isLoading} onClick={earlier.show}>
                Show earlier ones
              </Button>
            ) : null}
            <Steps graph={graph} run={run} onSelect={setSelected} />
          </Panel>
        </>
      }
    />
  );
}

function Steps({
  graph,
  run,
  onSelect,
}: {
  readonly graph: SequenceGraph;
  readonly run: RunWithSteps;
  readonly onSelect: (nodeId: string) => void;
}): ReactNode {
  if (run.steps_pruned) {
    return (
      <Text size="sm" c="dimmed">
        They are not kept any more: the run ended over a year ago.
      </Text>
    );
  }
  const ending = endingOf(run);
  if (run.steps.length === 0 && !ending) {
    return (
      <Text size="sm" c="dimmed">
        None yet
      </Text>
    );
  }
  const before = (index: number): string | undefined => (index > 0 ? run.steps[index - 1]?.at : undefined);
  return (
    <Happenings
      of={[...run.steps.map((step, index) => ({ ...step, index })), ...(ending ? [ending] : [])]}
      keyOf={(one) => ('index' in one ? String(one.number) : 'end')}
      show={(one) => {
        if (!('index' in one)) return { ...one, time: <Moment at={one.at} after={run.steps.at(-1)?.at} /> };
        const { number, node_id, kind, at, outcome, detail, index } = one;
        const node = graph.nodes.find(({ id }) => id === node_id);
        const words = `${number}. ${node ? nodeWords(node, graph.triggers) : node_id}`;
        return {
          icon: iconOf(kind),
          at,
          time: <Moment at={at} after={before(index)} />,
          words: node ? (
            <Anchor component="button" type="button" inherit c="inherit" ta="left" onClick={() => onSelect(node_id)}>
              {words}
            </Anchor>
          ) : (
            words
          ),
          more: <StepMore outcome={outcome} detail={detail} node={node} contactId={run.contact_id} />,
          isBad: outcome === 'failed',
        };
      }}
    />
  );
}

/** What ended a run before its way did: an end and a goal of the graph are steps of their own. */
function endingOf(run: RunWithSteps): Pick<HappeningProps, 'icon' | 'at' | 'words'> | undefined {
  const { end_reason, ended_at, steps } = run;
  if (!end_reason || !ended_at || end_reason === 'exit' || end_reason === steps.at(-1)?.kind) return undefined;
  return { icon: end_reason === 'goal' ? IconFlag : IconBan, at: ended_at, words: <Ending {...run} /> };
}

interface StepGiven extends Pick<RunWithSteps['steps'][number], 'outcome' | 'detail'> {
  readonly node: GraphNode | undefined;
  /** Whose run it is. */
  readonly contactId: string;
}

/** A mail is told by its id: it is a link to it. Of one that failed the step has the reason, so the link is to all that failed. */
function StepMore({ outcome, detail, node, contactId }: StepGiven): ReactNode {
  const { may } = useSession();
  const [, send] = /^send ([0-9a-f-]{36})$/.exec(detail ?? '') ?? [];
  const isFailed = outcome === 'failed' && node?.kind === 'send_email';
  const path = send ? `/sends/${send}` : isFailed ? `/sends?contactId=${contactId}&sourceType=sequence&status=failed` : undefined;
  if (!path || !may('sends:read')) return stepOutcomeWords({ outcome, detail }, node);
  return (
    <>
      {stepOutcomeWords({ outcome, detail }, node)}
      {', '}
      <Anchor component={Link} href={inConsole(path)} inherit>
        {send ? 'see the mail' : 'see it among the sends'}
      </Anchor>
    </>
  );
}

function CancelRun({ run }: { readonly run: RunWithSteps }): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => answerOf(api.DELETE('/enrollments/{id}', { params: { path: { id: run.id } } })),
    onSuccess: async () => {
      setIsAsked(false);
      notifyDone('The run is cancelled');
      await queries.invalidateQueries({ queryKey: SEQUENCES });
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        Cancel run…
      </Button>
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title="Cancel this run?"
        action="Cancel the run"
        keep="Keep it going"
        isFinal
        mutation={cancel}
      >
        <Text size="sm">
          Its remaining steps never send. A mail that is already with the provider is not recalled. There is no way back.
        </Text>
      </Confirm>
    </>
  );
}
