import { Anchor, Button, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Happenings } from '../../show/happenings.tsx';
import { notifyDone } from '../../show/notify.ts';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import { contactQuery } from '../contacts/contact-queries.ts';
import { GraphCanvas } from './graph/graph-canvas.tsx';
import { iconOf } from './graph/kind-icon.tsx';
import { wayMarks } from './graph/marks.ts';
import { type GraphNode, nodeWords } from './graph/node-words.ts';
import { laterWords, Moment } from './moments.tsx';
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
  const { data: run, error: runError, refetch: readRun } = useQuery(runQuery(id));
  const isOlder = run !== undefined && current !== undefined && run.sequence_version !== current.version;
  const older = useQuery({ ...versionQuery(sequence, run?.sequence_version ?? 0), enabled: isOlder });
  /** The one that the run follows. */
  const graph = isOlder ? older.data : current;
  const { may, temporal_web: temporalWeb } = useSession();
  const { data: contact } = useQuery({ ...contactQuery(run?.contact_id ?? ''), enabled: run !== undefined && may('contacts:read') });
  const error = runError ?? currentError ?? older.error;
  const actions = run ? (
    <>
      {temporalWeb ? (
        <Button
          component="a"
          variant="default"
          href={`${temporalWeb}/${encodeURIComponent(run.workflow_id)}`}
          target="_blank"
          rel="noreferrer"
          leftSection={<IconExternalLink size={14} />}
        >
          Temporal Web
        </Button>
      ) : null}
      {run.status === 'active' ? <CancelRun run={run} /> : null}
    </>
  ) : undefined;
  return (
    <Page
      title={run ? (contact ? `Run of ${contact.email}` : 'Run') : error ? 'Run' : undefined}
      beside={run ? <Status value={run.status} /> : undefined}
      description={run ? whereItStands(run) : undefined}
      back={{ to: `/${sequence}/runs`, label: current ? `Runs of ${current.name}` : 'Runs' }}
      actions={actions}
    >
      {error ? (
        <FailureNotice error={error} onRetry={() => void Promise.all([readCurrent(), readRun(), ...(isOlder ? [older.refetch()] : [])])} />
      ) : null}
      {graph && run ? <Way graph={graph} run={run} email={contact?.email} latest={current?.version ?? graph.version} /> : null}
    </Page>
  );
}

function whereItStands({ status, waiting_for, wakes_at, end_reason }: RunWithSteps): ReactNode {
  if (status !== 'active') return end_reason ? endWords(end_reason) : undefined;
  if (!waiting_for) return 'On its way';
  return (
    <>
      {waitingWords(waiting_for)}
      {wakes_at ? (
        <>
          {', goes on '}
          <Time at={wakes_at} />
        </>
      ) : null}
    </>
  );
}

function Way({
  graph,
  run,
  email,
  latest,
}: {
  readonly graph: SequenceGraph;
  readonly run: RunWithSteps;
  readonly email: string | undefined;
  /** The version of the sequence now. */
  readonly latest: number;
}): ReactNode {
  const [selected, setSelected] = useState(run.status === 'active' ? (run.current_node_id ?? undefined) : undefined);
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
      canvas={<GraphCanvas graph={graph} marks={marks} selected={selected} onSelect={setSelected} label="Way of the run over the graph" />}
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
          <Panel title={`Steps (${run.steps.length})`}>
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
  if (run.steps.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None yet
      </Text>
    );
  }
  return (
    <Happenings
      of={run.steps.map((step, index) => ({ ...step, index }))}
      keyOf={({ index }) => String(index)}
      show={({ node_id, kind, at, outcome, detail, index }) => {
        const node = graph.nodes.find(({ id }) => id === node_id);
        const words = `${index + 1}. ${node ? nodeWords(node, graph.triggers) : node_id}`;
        return {
          icon: iconOf(kind),
          at,
          time: <Moment at={at} after={index > 0 ? run.steps[index - 1]?.at : undefined} />,
          words: node ? (
            <Anchor component="button" type="button" inherit c="inherit" ta="left" onClick={() => onSelect(node_id)}>
              {words}
            </Anchor>
          ) : (
            words
          ),
          more: <StepMore outcome={outcome} detail={detail} node={node} />,
          isBad: outcome === 'failed',
        };
      }}
    />
  );
}

/** A mail is told by its id: it is a link to it. */
function StepMore({
  outcome,
  detail,
  node,
}: Pick<RunWithSteps['steps'][number], 'outcome' | 'detail'> & { readonly node: GraphNode | undefined }): ReactNode {
  const { may } = useSession();
  const [, send] = /^send ([0-9a-f-]{36})$/.exec(detail ?? '') ?? [];
  if (!send || !may('sends:read')) return stepOutcomeWords({ outcome, detail }, node);
  return (
    <>
      {stepOutcomeWords({ outcome, detail }, node)}
      {', '}
      <Anchor component={Link} href={inConsole(`/sends/${send}`)} inherit>
        see the mail
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
        Cancel run
      </Button>
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title="Cancel this run?"
        action="Cancel the run"
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
