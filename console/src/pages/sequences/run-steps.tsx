import { Anchor, Text } from '@mantine/core';
import { IconBan, IconFlag } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { useSession } from '../../session/session.tsx';
import { type HappeningProps, Happenings } from '../../show/happenings.tsx';
import { iconOf } from './graph/kind-icon.tsx';
import { nodeWords } from './graph/node-words.ts';
import { Moment } from './moments.tsx';
import { RunEnding } from './run-ending.tsx';
import { isHold, stepOutcomeWords } from './run-words.ts';
import type { GraphNode, RunWithSteps, SequenceGraph } from './sequence-queries.ts';
import { capWords } from './settings-words.ts';
import { Waiting } from './waiting.tsx';

interface Given {
  readonly graph: SequenceGraph;
  readonly run: RunWithSteps;
  readonly onSelect: (nodeId: string) => void;
}

/** The steps of a run, each with when and how, and its end. */
export function RunSteps({ graph, run, onSelect }: Given): ReactNode {
  if (run.steps_pruned) {
    return (
      <Text size="sm" c="dimmed">
        Steps are deleted a year after a run ends.
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
          more: <StepMore at={at} outcome={outcome} detail={detail} node={node} run={run} cap={capWords(graph)} />,
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
  return { icon: end_reason === 'goal' ? IconFlag : IconBan, at: ended_at, words: <RunEnding {...run} /> };
}

interface StepGiven extends Pick<RunWithSteps['steps'][number], 'at' | 'outcome' | 'detail'> {
  readonly node: GraphNode | undefined;
  readonly run: RunWithSteps;
  /** Its frequency cap in words; undefined: there is none. */
  readonly cap: string | undefined;
}

/** A mail is told by its id: it is a link to it. Of one that failed the step has the reason, so the link is to all that failed. */
function StepMore({ at, outcome, detail, node, run, cap }: StepGiven): ReactNode {
  const { may } = useSession();
  if (outcome === null && run.waiting_for && isHold(run.waiting_for)) {
    return (
      <>
        {stepOutcomeWords({ outcome, detail }, node)}. <Waiting waitingFor={run.waiting_for} wakesAt={run.wakes_at} cap={cap} since={at} />
      </>
    );
  }
  const [, send] = /^send ([0-9a-f-]{36})$/.exec(detail ?? '') ?? [];
  const isFailed = outcome === 'failed' && node?.kind === 'send_email';
  const path = send ? `/sends/${send}` : isFailed ? `/sends?contactId=${run.contact_id}&sourceType=sequence&status=failed` : undefined;
  if (!path || !may('GET /sends/{id}')) return stepOutcomeWords({ outcome, detail }, node);
  return (
    <>
      {stepOutcomeWords({ outcome, detail }, node)}
      {', '}
      <Anchor component={Link} href={inConsole(path)} inherit>
        {send ? 'view email' : 'view in sends'}
      </Anchor>
    </>
  );
}
