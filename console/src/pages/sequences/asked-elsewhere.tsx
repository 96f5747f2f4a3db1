import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { asFailure } from '../../api/failure.ts';
import { notifyFailed } from '../../show/notify.ts';
import { graphQuery, type SequenceGraph } from './sequence-queries.ts';
import { MAIN, StatusQuestion } from './status-question.tsx';

interface Given {
  /** Its key. */
  readonly sequence: string;
  readonly onClose: () => void;
}

/** Pauses, resumes or activates a sequence from any page, with the question that its own page asks. */
export default function AskedElsewhere({ sequence, onClose }: Given): ReactNode {
  const { data, error, isFetchedAfterMount } = useQuery({ ...graphQuery(sequence), staleTime: 0 });
  // As it is now, whatever was read of it before, and so until it closes: the question does not turn round.
  const [graph, setGraph] = useState<SequenceGraph>();
  if (data && isFetchedAfterMount && !graph) setGraph(data);
  useEffect(() => {
    if (!error || graph) return;
    notifyFailed(`The sequence ${sequence} could not be read: ${asFailure(error).message}`);
    onClose();
  }, [error, graph, sequence, onClose]);
  return graph ? <StatusQuestion graph={graph} change={MAIN[graph.status]} opened onClose={onClose} /> : null;
}
