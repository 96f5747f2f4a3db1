import { ActionIcon, Button, SegmentedControl, Text, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { asFailure } from '../../../api/failure.ts';
import { useFilters } from '../../../frame/filters.ts';
import { useLeaveGuard } from '../../../frame/leave-guard.ts';
import { Page } from '../../../frame/page.tsx';
import { useSession } from '../../../session/session.tsx';
import { DiscardChanges } from '../../../show/discard-changes.tsx';
import { FailureNotice } from '../../../show/failure-notice.tsx';
import { notifyDone } from '../../../show/notify.ts';
import { Status } from '../../../show/status.tsx';
import { type Editing, focusNode, GraphCanvas } from '../graph/graph-canvas.tsx';
import { NO_MARKS } from '../graph/marks.ts';
import type { GraphEdge, GraphNode, NodeKind } from '../graph/node-words.ts';
import { useLackingData, withLacking } from '../lacking-data.ts';
import { atNodes, isOfTriggers, problemsOf, stillWrong, withProblems } from '../problems.ts';
import { ProblemsPanel } from '../problems-panel.tsx';
import { graphQuery, SavedMeanwhile, SEQUENCES, type SequenceGraph, saveGraph, versionQuery, warningsQuery } from '../sequence-queries.ts';
import classes from '../sequences.module.css';
import { StepsPanel } from '../steps-panel.tsx';
import { StepPanel, Workbench } from '../workbench.tsx';
import { AddStep } from './add-step.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import type { Also } from './config-form.ts';
import { DeleteFork, isFork } from './delete-fork.tsx';
import { EndHere } from './end-here.tsx';
import { Faults } from './faults.tsx';
import { noteProblemsAgain, problemsIn, unfilledSteps } from './form-problems.ts';
import {
  changedNode,
  connect,
  copyOf,
  cutOff,
  draftOf,
  type GraphDraft,
  graphIn,
  insertAfter,
  type Made,
  nearTo,
  placeOf,
  withConfig,
  withNodeId,
  withOutcome,
  withoutNode,
  withoutNodes,
} from './graph-draft.ts';
import { useHistory } from './history.ts';
import { JsonText } from './json-text.tsx';
import { NodeEditor } from './node-editor.tsx';
import { SettingsEditor } from './settings-editor.tsx';
import { keepUnfinished, type Unfinished, unfinishedOf } from './unfinished.ts';
import { UnfinishedChanges } from './unfinished-changes.tsx';

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
  if (graph && (start || from === undefined)) return <Editor key={from} graph={graph} start={start} />;
  return (
    <Page title={error ? 'Sequence' : undefined} back={{ to: `/${sequence}`, label: 'Sequence' }}>
      {error ? <FailureNotice error={error} onRetry={() => void (graphError ? readGraph() : readStart())} /> : null}
    </Page>
  );
}

interface EditorGiven {
  readonly graph: SequenceGraph;
  /** An earlier version that is to be brought back: the first change. */
  readonly start: SequenceGraph | undefined;
}

function Editor({ graph, start }: EditorGiven): ReactNode {
  // What is edited is what was there at the start: nobody's change replaces it under the hands of who edits.
  const [base, setBase] = useState(graph);
  const { now: draft, change, undo, redo, reset } = useHistory(draftOf(base));
  useEffect(() => {
    if (start) change(draftOf(start), `version ${start.version}`);
  }, [start, change]);
  /** The JSON as typed, while that is what is edited. */
  const [text, setText] = useState<string>();
  const [selected, setSelected] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  /** An end that is to be put before steps, while that is asked about. */
  const [ending, setEnding] = useState<Made & { readonly behind: readonly GraphNode[] }>();
  /** A step that is to be deleted with what hangs on it, while that is asked about. */
  const [deleting, setDeleting] = useState<string>();
  const { project } = useSession();
  /** What was left here unsaved before, as long as it is offered. */
  const [left, setLeft] = useState(() => unfinishedOf(project.slug, graph.key));
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { data: warnings } = useQuery(warningsQuery(graph.key));
  const typed = useMemo(() => {
    const read = text === undefined ? undefined : graphIn(text);
    if (read && 'draft' in read) noteProblemsAgain(draft, read.draft);
    return read;
  }, [text, draft]);
  const current = typed && 'draft' in typed ? typed.draft : draft;
  const save = useMutation({
    mutationFn: ({ draft: body, version }: { readonly draft: GraphDraft; readonly version: number }) =>
      saveGraph(queries, graph.key, body, version),
    onSuccess: async ({ version, warnings: found = [] }, { draft: saved }) => {
      notifyDone(`Version ${version} is saved`);
      queries.setQueryData(warningsQuery(graph.key).queryKey, found);
      const now = await queries.fetchQuery({ ...graphQuery(graph.key), staleTime: 0 });
      // Another may have been saved at once.
      const stored = now.version === version ? now : { ...now, ...saved, version };
      setBase(stored);
      // Only what was saved: more may have been typed meanwhile.
      if (asText(saved) === asText(current)) {
        reset(draftOf(stored));
        if (text !== undefined) setText(asText(draftOf(stored)));
        // The address begins with an earlier version no more.
        if (start) navigate(`/${graph.key}/edit`, { replace: true });
      }
      await queries.invalidateQueries({ queryKey: SEQUENCES });
    },
  });
  // That is told by the version that is there now.
  const failure = save.error && !(save.error instanceof SavedMeanwhile) ? asFailure(save.error) : undefined;
  const isRefused = failure?.details.code === 'invalid_graph';
  /** What the forms know to be wrong, once saving was tried. */
  const unfinished = useMemo(() => problemsIn(current), [current]);
  const [tried, setTried] = useState<GraphDraft>();
  const lacking = useLackingData(current);
  /** What the API found wrong, or would, as far as it was not changed since. */
  const refused = useMemo(() => {
    const sent = isRefused ? save.variables?.draft : undefined;
    return [
      // A step that was added since is not asked about yet.
      ...unfilledSteps(current).filter(({ nodeId }) => tried?.nodes.some(({ id }) => id === nodeId)),
      ...(sent ? stillWrong(problemsOf(failure?.details.issues ?? [], 'problem', sent.nodes), sent, current) : []),
    ];
  }, [isRefused, failure, save.variables, tried, current]);
  const problems = useMemo(() => {
    const wrong = tried ? [...unfinished, ...refused] : refused;
    return atNodes(wrong.length > 0 ? wrong : withLacking(problemsOf(warnings, 'warning', base.nodes), lacking), current.nodes);
  }, [tried, unfinished, refused, warnings, base.nodes, lacking, current.nodes]);
  const marks = useMemo(() => withProblems(NO_MARKS, problems), [problems]);
  const isChanged = text === undefined ? undo !== undefined : text !== asText(draftOf(base));
  useLeaveGuard(isChanged, true);
  useEffect(() => {
    if (isChanged) keepUnfinished(project.slug, graph.key, { at: new Date().toISOString(), base, draft: current, earlier: left });
    else keepUnfinished(project.slug, graph.key, left);
  }, [isChanged, current, base, left, project.slug, graph.key]);
  // The canvas is given the same functions for every draft: a letter typed in one step draws that step alone.
  const latest = useRef(draft);
  latest.current = draft;
  /** Undoes, or does again, and shows where. */
  const travel = (go: (() => GraphDraft) | undefined): void => {
    if (!go || text !== undefined) return;
    const before = latest.current;
    const to = go();
    const id = changedNode(before, to);
    if (id !== undefined) setSelected(id);
    else if (!to.nodes.some((one) => one.id === selected)) setSelected(undefined);
    // From a form, or a button, the keyboard is not taken away.
    if (isAtCanvas()) focusNode(id);
  };
  useHotkeys([
    ['mod+Z', () => travel(undo)],
    ['mod+shift+Z', () => travel(redo)],
    ['mod+Y', () => travel(redo)],
  ]);
  const take = useCallback(
    (made: Made) => {
      change(made.draft);
      setSelected(made.id);
      focusNode(made.id);
    },
    [change],
  );
  const insert = useCallback(
    (edge: Pick<GraphEdge, 'from' | 'branchKey'>, kind: NodeKind) => {
      const made = insertAfter(latest.current, edge.from, edge.branchKey, kind);
      const behind = cutOff(latest.current, made.draft);
      if (behind.length > 0) setEnding({ ...made, behind });
      else take(made);
    },
    [take],
  );
  const leave = useCallback(
    (id: string, left: GraphDraft) => {
      change(left);
      setSelected(undefined);
      focusNode(nearTo(latest.current, id, left));
    },
    [change],
  );
  const remove = useCallback(
    (id: string) => {
      if (isFork(latest.current, id)) setDeleting(id);
      else leave(id, withoutNode(latest.current, id));
    },
    [leave],
  );
  const copy = useCallback(
    (id: string) => {
      const made = copyOf(latest.current, id);
      if (made) take(made);
    },
    [take],
  );
  const editing = useMemo(
    (): Editing => ({
      remove,
      copy,
      add(id) {
        setSelected(id);
        setIsAdding(true);
      },
      connect(from, to) {
        const joined = connect(latest.current, from, to);
        if (joined) change(joined);
        setSelected(from);
      },
      edgeAction: (edge, where) => (
        <AddStep label={`Add a step ${where}`} onAdd={(kind) => insert(edge, kind)} withoutEnd={isEnd(latest.current, edge.to)} />
      ),
    }),
    [change, insert, remove, copy],
  );
  const configure = (id: string, config: GraphNode['config'], also?: Also): void => {
    const outcome = also?.outcome;
    const led = outcome ? withOutcome(draft, id, outcome) : draft;
    // Typing is one step of undo; a branch more or less is one of its own.
    change(withConfig(led, id, config), outcome && !('renamed' in outcome) ? undefined : `config ${id}`);
  };
  const rename = (id: string, to: string): void => {
    change(withNodeId(draft, id, to));
    setSelected(to);
    focusNode(to);
  };
  /** By the button above the canvas, or a key. */
  const place = placeOf(draft, selected);
  const show = (view: string): void => {
    if (view === 'json') setText(asText(draft));
    else if (typed && 'draft' in typed) {
      if (text !== asText(draft)) change(typed.draft);
      setText(undefined);
    }
  };
  const saveOver = (version: number): void => {
    // A form that was opened since shows what is there, and nothing wrong with it.
    const isFinished = problemsIn(current).length === 0 && unfilledSteps(current).length === 0;
    setTried(isFinished ? undefined : current);
    if (isFinished) save.mutate({ draft: current, version });
  };
  const canSave = isChanged && !(typed && 'problem' in typed);
  // From a form too, where the browser would save the page.
  useHotkeys([['mod+S', () => canSave && !save.isPending && saveOver(base.version)]], []);
  const discard = (): void => {
    setBase(graph);
    reset(draftOf(graph));
    if (text !== undefined) setText(asText(draftOf(graph)));
    // The button goes with what it discards.
    else focusNode(graph.nodes[0]?.id);
    save.reset();
  };
  const resume = ({ base: began, draft: theirs, earlier }: Unfinished): void => {
    setBase(began);
    change(theirs);
    if (text !== undefined) setText(asText(theirs));
    setLeft(earlier);
    focusNode(changedNode(draft, theirs));
  };
  const node = current.nodes.find(({ id }) => id === selected);
  const isLate = graph.version !== base.version && !save.isPending;
  return (
    <Page
      title={`Edit ${base.name}`}
      beside={<Status value={graph.status} />}
      description={`${graph.key} · version ${base.version}`}
      back={{ to: `/${graph.key}`, label: base.name }}
      isWide
      actions={
        <>
          {isChanged ? <DiscardChanges onDiscard={discard} /> : null}
          <Button
            loading={save.isPending}
            disabled={!canSave}
            onClick={() => saveOver(base.version)}
            aria-keyshortcuts="Control+S Meta+S"
            title="Ctrl+S"
          >
            Save
          </Button>
        </>
      }
    >
      {isLate ? (
        <ChangedMeanwhile base={base} theirs={graph} onReplace={isChanged ? () => saveOver(graph.version) : undefined} onTake={discard} />
      ) : null}
      {left ? <UnfinishedChanges unfinished={left} onResume={() => resume(left)} onDiscard={() => setLeft(left.earlier)} /> : null}
      {failure && !isRefused ? <FailureNotice error={failure} /> : null}
      <Workbench
        bar={
          <>
            <SegmentedControl
              size="xs"
              aria-label="View"
              data={[
                { value: 'canvas', label: 'Canvas', disabled: typed !== undefined && 'problem' in typed },
                { value: 'json', label: 'JSON' },
              ]}
              value={text === undefined ? 'canvas' : 'json'}
              onChange={show}
            />
            {text === undefined ? (
              <>
                <Tooltip label="Undo">
                  <ActionIcon className={classes.tool} aria-label="Undo" disabled={!undo} onClick={() => travel(undo)}>
                    <IconArrowBackUp size={17} />
                  </ActionIcon>
                </Tooltip>
                <Tooltip label="Redo">
                  <ActionIcon className={classes.tool} aria-label="Redo" disabled={!redo} onClick={() => travel(redo)}>
                    <IconArrowForwardUp size={17} />
                  </ActionIcon>
                </Tooltip>
                {place ? (
                  <AddStep
                    label={`Add step ${place.words}`}
                    words={`Add step ${place.words}`}
                    opened={isAdding}
                    onOpenedChange={setIsAdding}
                    withoutEnd={place.edge.to !== undefined && isEnd(draft, place.edge.to)}
                    onAdd={(kind) => insert(place.edge, kind)}
                  />
                ) : null}
              </>
            ) : (
              <Text size="xs" c={typed && 'problem' in typed ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
                {typed && 'problem' in typed ? typed.problem : 'As PUT /sequences/:key takes it'}
              </Text>
            )}
          </>
        }
        canvas={
          text === undefined ? (
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
            <ProblemsPanel problems={problems} onSelect={setSelected} hasSettings={text === undefined} />
            {text === undefined && node ? (
              <StepPanel>
                <Faults value={refused.filter((one) => one.nodeId === node.id || (node.kind === 'trigger' && isOfTriggers(one)))}>
                  <NodeEditor
                    key={node.id}
                    sequence={graph.key}
                    draft={draft}
                    node={node}
                    onChange={change}
                    onConfig={(config, also) => configure(node.id, config, also)}
                    onRename={(id) => rename(node.id, id)}
                    onAdd={insert}
                    onCopy={copy}
                    onSelect={setSelected}
                    onDelete={() => remove(node.id)}
                  />
                </Faults>
              </StepPanel>
            ) : text === undefined ? (
              <Faults value={refused.filter(({ nodeId }) => nodeId === undefined)}>
                <SettingsEditor draft={draft} onChange={change} />
              </Faults>
            ) : null}
            <StepsPanel graph={current} selected={selected} onSelect={setSelected} />
          </>
        }
      />
      <DeleteFork
        draft={draft}
        id={deleting}
        onClose={() => setDeleting(undefined)}
        onDelete={(left) => {
          if (deleting !== undefined) leave(deleting, left);
          setDeleting(undefined);
        }}
      />
      <EndHere
        behind={ending?.behind}
        onClose={() => setEnding(undefined)}
        onEnd={() => {
          if (ending) take({ ...ending, draft: withoutNodes(ending.draft, ending.behind) });
          setEnding(undefined);
        }}
      />
    </Page>
  );
}

/** Whether the keyboard is at a step, or nowhere: not in a form, and at no button. */
function isAtCanvas(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at.matches('.react-flow__node');
}

function isEnd({ nodes }: GraphDraft, id: string): boolean {
  return nodes.find((node) => node.id === id)?.kind === 'exit';
}

function asText(draft: GraphDraft): string {
  return JSON.stringify(draft, null, 2);
}
