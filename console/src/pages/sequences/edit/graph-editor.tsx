import { Button, Text, Tooltip } from '@mantine/core';
import { IconArrowLeft, IconFlask, IconPlayerPlay } from '@tabler/icons-react';
import { type ReactNode, useCallback, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Page } from '../../../frame/page.tsx';
import { SAVE_KEY } from '../../../frame/save-key.ts';
import { useSession } from '../../../session/session.tsx';
import { DiscardChanges } from '../../../show/discard-changes.tsx';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { Status } from '../../../show/status.tsx';
import { GraphCanvas } from '../graph/graph-canvas.tsx';
import { focusNode } from '../graph/node-focus.ts';
import { ProblemsPanel } from '../problems-panel.tsx';
import type { SequenceGraph } from '../sequence-queries.ts';
import { Simulate } from '../simulate-page.tsx';
import { MAIN, StatusQuestion } from '../status-question.tsx';
import { StepsPanel } from '../steps-panel.tsx';
import { Workbench } from '../workbench.tsx';
import { AskBeforeLive } from './ask-before-live.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { EditBar } from './edit-bar.tsx';
import { EditedSettings } from './edited-settings.tsx';
import { JsonText } from './json-text.tsx';
import { StepQuestions } from './step-questions.tsx';
import { UnfinishedChanges } from './unfinished-changes.tsx';
import { useCanvasEditing } from './use-canvas-editing.tsx';
import { type EditedGraph, useEditedGraph } from './use-edited-graph.ts';
import { useGraphProblems } from './use-graph-problems.ts';
import { type SavingGraph, useSaveGraph } from './use-save-graph.ts';
import { useStepChanges } from './use-step-changes.ts';
import { useTravel } from './use-travel.ts';
import { useUnfinished } from './use-unfinished.ts';

interface Given {
  readonly graph: SequenceGraph;
  /** An earlier version that is to be brought back: the first change. */
  readonly start: SequenceGraph | undefined;
}

/** A page with all that a graph is edited by. */
export function GraphEditor({ graph, start }: Given): ReactNode {
  const [, navigate] = useLocation();
  const edited = useEditedGraph(graph, start);
  const { base, text, isChanged, current } = edited;
  const [isTried, setIsTried] = useState(false);
  const saving = useSaveGraph(graph.key, edited, () => {
    // The address begins with an earlier version no more.
    if (start) navigate(`/${graph.key}/edit`, { replace: true });
  });
  const discard = (): void => {
    edited.setBase(graph);
    edited.restart(graph);
    // The button goes with what it discards.
    if (text === undefined) focusNode(graph.nodes[0]?.id);
    saving.reset();
  };
  return (
    <Page
      title={`Edit ${base.name}`}
      beside={<Status value={graph.status} />}
      description={`${graph.key} · version ${base.version}`}
      back={{ to: `/${graph.key}`, label: base.name }}
      isWide
      isLong
      actions={
        <>
          {isChanged ? <DiscardChanges onDiscard={discard} /> : null}
          {isTried ? (
            <Button variant="default" leftSection={<IconArrowLeft size={14} />} onClick={() => setIsTried(false)}>
              Back to editing
            </Button>
          ) : (
            <NextSteps graph={graph} isChanged={isChanged} onTry={edited.textFault ? undefined : () => setIsTried(true)} />
          )}
          <Button loading={saving.isPending} disabled={!saving.canSave} onClick={() => saving.saveOver(base.version)} {...SAVE_KEY}>
            Save
          </Button>
        </>
      }
    >
      <Notices graph={graph} edited={edited} saving={saving} onDiscard={discard} />
      <AskBeforeLive base={base} saving={saving} />
      {isTried ? (
        <>
          {isChanged ? (
            <Text size="sm" role="status">
              This simulates your unsaved changes.
            </Text>
          ) : null}
          <Simulate graph={{ ...base, ...current }} isUnsaved={isChanged} />
        </>
      ) : (
        <EditorBench sequence={graph.key} edited={edited} saving={saving} />
      )}
    </Page>
  );
}

interface NextGiven extends Pick<Given, 'graph'> {
  readonly isChanged: boolean;
  /** Simulates what is edited; undefined: it is no graph. */
  readonly onTry: (() => void) | undefined;
}

/** What usually follows: a look at what would happen, also before it is saved, and turning it on once it is. */
function NextSteps({ graph, isChanged, onTry }: NextGiven): ReactNode {
  const { may } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  const change = MAIN[graph.status];
  return (
    <>
      {may('POST /sequences/{key}/simulate') && isChanged ? (
        <Button variant="default" disabled={!onTry} onClick={onTry} leftSection={<IconFlask size={14} />}>
          Simulate
        </Button>
      ) : null}
      {may('POST /sequences/{key}/simulate') && !isChanged ? (
        <Button component={Link} variant="default" href={`/${graph.key}/simulate`} leftSection={<IconFlask size={14} />}>
          Simulate
        </Button>
      ) : null}
      {change.to === 'active' && may('PATCH /sequences/{key}') ? (
        <Tooltip label="Save your changes first" disabled={!isChanged} events={{ hover: true, focus: true, touch: true }}>
          <Button
            variant="default"
            leftSection={<IconPlayerPlay size={14} />}
            {...(isChanged ? { 'data-disabled': true, 'aria-disabled': true } : { onClick: () => setIsAsked(true) })}
          >
            {change.action}…
          </Button>
        </Tooltip>
      ) : null}
      <StatusQuestion graph={graph} change={change} opened={isAsked} onClose={() => setIsAsked(false)} />
    </>
  );
}

interface NoticesGiven {
  readonly graph: SequenceGraph;
  readonly edited: EditedGraph;
  readonly saving: SavingGraph;
  readonly onDiscard: () => void;
}

/** What somebody else saved meanwhile, what was left here before, and why nothing could be saved. */
function Notices({ graph, edited, saving, onDiscard }: NoticesGiven): ReactNode {
  const { base, isChanged } = edited;
  const { left, resume, forget } = useUnfinished(graph.key, edited);
  const isLate = graph.version !== base.version && !saving.isPending;
  return (
    <>
      {isLate ? (
        <ChangedMeanwhile
          base={base}
          theirs={graph}
          onReplace={isChanged ? () => saving.saveOver(graph.version) : undefined}
          onTake={onDiscard}
        />
      ) : null}
      {left ? <UnfinishedChanges unfinished={left} onResume={() => resume(left)} onDiscard={() => forget(left)} /> : null}
      {saving.failure ? <FailureNotice error={saving.failure} /> : null}
    </>
  );
}

interface BenchGiven {
  /** The key of the sequence. */
  readonly sequence: string;
  readonly edited: EditedGraph;
  readonly saving: SavingGraph;
}

/** The canvas, or the JSON, between its tools and what is set of it. */
function EditorBench({ sequence, edited, saving }: BenchGiven): ReactNode {
  const { base, draft, current, text, setText } = edited;
  const [selected, setSelected] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  const openAdding = useCallback(() => setIsAdding(true), []);
  const { refused, problems, marks } = useGraphProblems(sequence, edited, saving);
  const travel = useTravel(edited, selected, setSelected);
  const steps = useStepChanges(edited, setSelected);
  const editing = useCanvasEditing({ edited, steps, onSelect: setSelected, onAdd: openAdding });
  const isCanvas = text === undefined;
  return (
    <>
      <Workbench
        bar={
          <EditBar edited={edited} selected={selected} onTravel={travel} onAdd={steps.insert} isAdding={isAdding} onAdding={setIsAdding} />
        }
        canvas={
          isCanvas ? (
            <GraphCanvas
              graph={draft}
              marks={marks}
              selected={selected}
              onSelect={setSelected}
              label={`Graph of ${base.name}`}
              editing={editing}
            />
          ) : (
            <JsonText label="Graph as JSON" value={text} onChange={setText} />
          )
        }
        aside={
          <>
            <ProblemsPanel problems={problems} onSelect={setSelected} hasSettings={isCanvas} />
            {isCanvas ? (
              <EditedSettings
                sequence={sequence}
                edited={edited}
                steps={steps}
                refused={refused}
                selected={selected}
                onSelect={setSelected}
              />
            ) : null}
            <StepsPanel graph={current} selected={selected} onSelect={setSelected} />
          </>
        }
      />
      <StepQuestions draft={draft} steps={steps} />
    </>
  );
}
