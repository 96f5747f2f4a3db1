import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { templatesQuery } from '../templates/template-queries.ts';
import { AssumePanel } from './assume-panel.tsx';
import { asJson, draftOf } from './edit/graph-draft.ts';
import { ownEventTypes } from './example-event.ts';
import { GraphCanvas } from './graph/graph-canvas.tsx';
import { NO_MARKS, wayMarks } from './graph/marks.ts';
import { nodeWords } from './graph/node-words.ts';
import { useLackingData, withLacking } from './lacking-data.ts';
import { problemsOf, withProblems } from './problems.ts';
import { ProblemsPanel } from './problems-panel.tsx';
import { SequenceFrame } from './sequence-frame.tsx';
import { entersByDate, type SequenceGraph, type Simulation, type SimulationInput, simulate } from './sequence-queries.ts';
import { EMPTY_SIMULATION, inputOf, type SimulationDraft } from './simulation-draft.ts';
import { SimulationForm } from './simulation-form.tsx';
import { SimulationPanel, SimulationSummary } from './simulation-panel.tsx';
import { failingMails, waySteps } from './simulation-words.ts';
import { useExampleEvent } from './use-example-event.ts';
import { StepPanel, Workbench } from './workbench.tsx';

/** A dry run of one contact over the saved graph. */
export function SimulatePage({ sequence }: { readonly sequence: string }): ReactNode {
  return (
    <SequenceFrame sequence={sequence} tab="simulate">
      {(graph) => <Simulate graph={graph} isUnsaved={false} />}
    </SequenceFrame>
  );
}

interface Shown {
  readonly result: Simulation;
  readonly input: SimulationInput;
  /** By the button, rather than since another outcome is assumed. */
  readonly isAsked: boolean;
}

interface Given {
  readonly graph: SequenceGraph;
  /** It is what is being edited, rather than what is stored. */
  readonly isUnsaved: boolean;
}

/** Whom to send through a graph, and which way it took. */
export function Simulate({ graph, isUnsaved }: Given): ReactNode {
  const [selected, setSelected] = useState<string>();
  const { draft, setDraft, example, assume, asIfNotEnrolled, run, shown, isOld } = useSimulation(graph, isUnsaved);
  const result = shown?.result;
  const lacking = useLackingData(graph);
  const problems = useMemo(
    () => withLacking(problemsOf(result?.warnings ?? [], 'warning', graph.nodes), lacking),
    [result, graph.nodes, lacking],
  );
  const failing = useMemo(() => failingMails(result ?? NO_STEPS, problems), [result, problems]);
  const marks = useMemo(
    () => withProblems(result ? wayMarks(waySteps(result.path, failing), graph.edges) : NO_MARKS, problems),
    [result, failing, graph.edges, problems],
  );
  const way = useMemo(() => result?.path.map(({ nodeId }) => nodeId), [result]);
  const node = graph.nodes.find(({ id }) => id === selected);
  const nameOf = (id: string): string => {
    const named = graph.nodes.find((one) => one.id === id);
    return named ? nodeWords(named, graph.triggers) : id;
  };
  return (
    <Workbench
      bar={
        result ? <SimulationSummary simulation={result} failing={failing} isOld={isOld} onAsIfNotEnrolled={asIfNotEnrolled} /> : undefined
      }
      canvas={<GraphCanvas graph={graph} marks={marks} selected={selected} onSelect={setSelected} label="Simulated path" way={way} />}
      aside={
        <>
          <StepPanel>
            <AssumePanel graph={graph} node={node} draft={draft} onChange={assume} onSelect={setSelected} />
          </StepPanel>
          <SimulationForm
            draft={draft}
            example={example}
            ownEvents={ownEventTypes(graph)}
            isByDate={graph.triggers.some(entersByDate)}
            onChange={setDraft}
            isRunning={run.isPending}
            error={run.error}
            onRun={(input) => run.mutate({ input, isAsked: true })}
          />
          {run.error ? <FailureNotice error={run.error} /> : null}
          {shown ? (
            <SimulationPanel
              graph={graph}
              simulation={shown.result}
              failing={failing}
              input={shown.input}
              isAsked={shown.isAsked}
              onSelect={setSelected}
            />
          ) : null}
          <ProblemsPanel problems={problems} onSelect={setSelected} nameOf={nameOf} />
        </>
      }
    />
  );
}

/** What is set, and what came of what was run last. */
function useSimulation(graph: SequenceGraph, isUnsaved: boolean) {
  const [draft, setDraft] = useState(EMPTY_SIMULATION);
  const example = useExampleEvent(graph);
  const [shown, setShown] = useState<Shown>();
  const run = useMutation({
    mutationFn: ({ input }: Omit<Shown, 'result'>) => simulate(graph.key, isUnsaved ? { ...input, graph: asJson(draftOf(graph)) } : input),
    onSuccess: (result, asked) => setShown({ ...asked, result }),
  });
  useTemplatesTurned(() => {
    if (shown) run.mutate({ input: shown.input, isAsked: false });
  });
  const isOther = shown !== undefined && JSON.stringify(inputOf(draft, example)) !== JSON.stringify(shown.input);
  /** Another outcome at a node: what is shown follows. */
  const assume = (next: SimulationDraft): void => {
    setDraft(next);
    const assumed = inputOf(next, example);
    if (shown && assumed) run.mutate({ input: assumed, isAsked: false });
  };
  const asIfNotEnrolled = (): void => assume({ ...draft, asIfNotEnrolled: true });
  return {
    ...{ draft, setDraft, example, assume, asIfNotEnrolled, run, shown },
    /** What is shown is not of what is set now. */
    isOld: isOther && !run.isPending,
  };
}

/** Calls when a template has been turned on or off since the page was opened: what a simulation says of its mails is no longer so. */
function useTemplatesTurned(onTurned: () => void): void {
  const { data } = useQuery(templatesQuery());
  const on = data?.flatMap(({ key, enabled }) => (enabled ? [key] : [])).join();
  const known = useRef(on);
  useEffect(() => {
    const before = known.current;
    known.current = on ?? before;
    if (before !== undefined && on !== undefined && on !== before) onTurned();
  });
}

const NO_STEPS: Pick<Simulation, 'path'> = { path: [] };
