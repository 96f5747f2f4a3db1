import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { asFailure, type Failure, type Issue } from '../../../api/failure.ts';
import { useSaveKey } from '../../../frame/save-key.ts';
import { notifyDone } from '../../../show/notify.ts';
import {
  affectedSteps,
  type ChangedStep,
  graphQuery,
  type ListedVersion,
  type Migrate,
  SavedMeanwhile,
  SEQUENCES,
  saveGraph,
  versionsInUse,
  warningsQuery,
} from '../sequence-queries.ts';
import { problemsIn, unfilledSteps } from './form-problems.ts';
import { asText, type GraphDraft } from './graph-draft.ts';
import type { EditedGraph } from './use-edited-graph.ts';

/** What the API found wrong with a graph, which it did not save therefore. */
export interface Refusal {
  readonly draft: GraphDraft;
  readonly issues: readonly Issue[];
}

interface Saving {
  readonly draft: GraphDraft;
  /** In place of which version. */
  readonly version: number;
  /** What becomes of those who stand at its steps; all stay on their version where it is not given. */
  readonly migrate?: Migrate;
}

/** What is asked before a sequence is saved that runs are under way in. */
export interface SaveQuestion extends Saving {
  /** Those by which runs are under way: they stay on them. */
  readonly staying: readonly ListedVersion[];
  /** Those at which people stand. */
  readonly affected: readonly ChangedStep[];
  readonly isLive: boolean;
}

export interface SavingGraph {
  readonly canSave: boolean;
  readonly isPending: boolean;
  /** The last that was not sent, since its forms knew that something was wrong with it. */
  readonly tried: GraphDraft | undefined;
  readonly refusal: Refusal | undefined;
  /** Why it could not be saved, other than by what is in it; that somebody saved meanwhile is told by the version that is there now. */
  readonly failure: Failure | undefined;
  /** Not answered yet; undefined: nothing is asked. */
  readonly question: SaveQuestion | undefined;
  /** Saves what was asked about, or does not. `migrate`: what becomes of those who stand at the steps. */
  answer(isYes: boolean, migrate?: Migrate): void;
  /** Saves in place of that version, and of no other; asks first where that is live at once beside runs that stay on another. */
  saveOver(version: number): void;
  /** Forgets the last call. */
  reset(): void;
}

/** `onSaved`: all that was changed is saved. */
export function useSaveGraph(sequence: string, edited: EditedGraph, onSaved: () => void): SavingGraph {
  const { base, setBase, current, restart, isChanged, textFault } = edited;
  const queries = useQueryClient();
  const [tried, setTried] = useState<GraphDraft>();
  const save = useMutation({
    mutationFn: ({ draft, version, migrate }: Saving) => saveGraph(queries, sequence, migrate ? { ...draft, migrate } : draft, version),
    onSuccess: async ({ version, warnings = [] }, { draft: saved }) => {
      notifyDone(`Version ${version} saved`);
      queries.setQueryData(warningsQuery(sequence).queryKey, warnings);
      const now = await queries.fetchQuery({ ...graphQuery(sequence), staleTime: 0 });
      // Another may have been saved at once.
      const stored = now.version === version ? now : { ...now, ...saved, version };
      setBase(stored);
      // Only what was saved: more may have been typed meanwhile.
      if (asText(saved) === asText(current)) {
        restart(stored);
        onSaved();
      }
      await queries.invalidateQueries({ queryKey: SEQUENCES });
    },
  });
  const [question, setQuestion] = useState<SaveQuestion>();
  const look = useMutation({
    mutationFn: async (saving: Saving) => {
      // Somebody else may have activated it meanwhile.
      const { status } = queries.getQueryData(graphQuery(sequence).queryKey) ?? base;
      const inUse = status === 'active' || status === 'paused' ? await versionsInUse(sequence) : [];
      const staying = inUse.filter(({ active }) => active > 0);
      const affected = staying.length > 0 ? await affectedSteps(queries, sequence, saving.draft, saving.version) : [];
      return { ...saving, staying, affected, isLive: status === 'active' };
    },
    onSuccess: (asked) => ((asked.isLive ? asked.staying : asked.affected).length > 0 ? setQuestion(asked) : save.mutate(asked)),
  });
  const answer = (isYes: boolean, migrate?: Migrate): void => {
    setQuestion(undefined);
    if (question && isYes) save.mutate(migrate ? { ...question, migrate } : question);
  };
  const failed = look.error ?? save.error;
  const failure = failed && !(failed instanceof SavedMeanwhile) ? asFailure(failed) : undefined;
  // What was looked at is what would have been saved.
  const refused = look.error ? look.variables : save.variables;
  const refusal = useMemo(
    () =>
      failure?.details.code === 'invalid_graph' && refused ? { draft: refused.draft, issues: failure.details.issues ?? [] } : undefined,
    [failure, refused],
  );
  const saveOver = (version: number): void => {
    // A form that was opened since shows what is there, and nothing wrong with it.
    const isFinished = problemsIn(current).length === 0 && unfilledSteps(current).length === 0;
    setTried(isFinished ? undefined : current);
    if (isFinished) look.mutate({ draft: current, version });
  };
  const isPending = save.isPending || look.isPending;
  const canSave = isChanged && textFault === undefined;
  useSaveKey(() => canSave && !isPending && saveOver(base.version));
  return {
    ...{ canSave, isPending, tried, refusal, question, answer, saveOver },
    failure: refusal ? undefined : failure,
    reset() {
      save.reset();
      look.reset();
    },
  };
}
