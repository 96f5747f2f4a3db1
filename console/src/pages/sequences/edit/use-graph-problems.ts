import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Marks, NO_MARKS } from '../graph/marks.ts';
import { useLackingData, withLacking } from '../lacking-data.ts';
import { useWithOffSteps } from '../off-templates.tsx';
import { atNodes, type Problem, problemsOf, stillWrong, withProblems } from '../problems.ts';
import { warningsQuery } from '../sequence-queries.ts';
import { problemsIn, unfilledSteps } from './form-problems.ts';
import type { EditedGraph } from './use-edited-graph.ts';
import type { SavingGraph } from './use-save-graph.ts';

interface GraphProblems {
  /** What the API found wrong, or would, as far as it was not changed since. */
  readonly refused: readonly Problem[];
  /** All that is to be told, each with its node. */
  readonly problems: readonly Problem[];
  readonly marks: Marks;
}

/** What is wrong with a graph that is edited: what its forms know once saving was tried, what the API said, else what it warned of. */
export function useGraphProblems(sequence: string, { base, current }: EditedGraph, { tried, refusal }: SavingGraph): GraphProblems {
  const { data: warnings } = useQuery(warningsQuery(sequence));
  const lacking = useLackingData(current);
  const unfinished = useMemo(() => problemsIn(current), [current]);
  const refused = useMemo(
    () => [
      // A step that was added since is not asked about yet.
      ...unfilledSteps(current).filter(({ nodeId }) => tried?.nodes.some(({ id }) => id === nodeId)),
      ...(refusal ? stillWrong(problemsOf(refusal.issues, 'problem', refusal.draft.nodes), refusal.draft, current) : []),
    ],
    [refusal, tried, current],
  );
  const problems = useMemo(() => {
    const wrong = tried ? [...unfinished, ...refused] : refused;
    return atNodes(wrong.length > 0 ? wrong : withLacking(problemsOf(warnings, 'warning', base.nodes), lacking), current.nodes);
  }, [tried, unfinished, refused, warnings, base.nodes, lacking, current.nodes]);
  // Which templates are off is no fault of the graph, so the steps alone say it, as on the flow.
  const marked = useWithOffSteps(problems, current);
  const marks = useMemo(() => withProblems(NO_MARKS, marked), [marked]);
  return { refused, problems, marks };
}
