import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session.tsx';
import { runQuery, versionQuery } from './sequence-queries.ts';
import { capWords } from './settings-words.ts';

interface CapOfRun {
  /** In words, of the version that the run follows. */
  readonly cap: string | undefined;
  /** When the run came to where it is. */
  readonly since: string | undefined;
}

/** The frequency cap that a run is held by; nothing is known until it is read, where there is none, and where it `isAsked` not. */
export function useCapOfRun(sequence: string, run: string, isAsked: boolean): CapOfRun {
  const { may } = useSession();
  const canRead = isAsked && may('GET /enrollments/{id}') && may('GET /sequences/{key}');
  const { data: { sequence_version: version, steps } = {} } = useInfiniteQuery({ ...runQuery(run), enabled: canRead });
  const { data: graph } = useQuery({ ...versionQuery(sequence, version ?? 0), enabled: canRead && version !== undefined });
  return { cap: graph && capWords(graph), since: steps?.at(-1)?.at };
}
