import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session.tsx';
import { runQuery, versionQuery } from './sequence-queries.ts';
import { capWords } from './settings-words.ts';

/** The frequency cap of the version that a run follows, in words; undefined until it is read, where there is none, and where it `isAsked` not. */
export function useCapOfRun(sequence: string, run: string, isAsked: boolean): string | undefined {
  const { may } = useSession();
  const canRead = isAsked && may('GET /enrollments/{id}') && may('GET /sequences/{key}');
  const { data: { sequence_version: version } = {} } = useInfiniteQuery({ ...runQuery(run), enabled: canRead });
  const { data: graph } = useQuery({ ...versionQuery(sequence, version ?? 0), enabled: canRead && version !== undefined });
  return graph && capWords(graph);
}
