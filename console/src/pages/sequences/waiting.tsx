import type { ReactNode } from 'react';
import { Time } from '../../show/time.tsx';
import { isHold, waitingWords } from './run-words.ts';

interface Given {
  /** As the API names it. */
  readonly waitingFor: string;
  readonly wakesAt: string | null;
}

/** What a run waits for, and when it goes on: "On hold: frequency cap. Tries again in 3 days". */
export function Waiting({ waitingFor, wakesAt }: Given): ReactNode {
  return (
    <>
      {waitingWords(waitingFor)}
      {wakesAt ? (
        <>
          . {whenWords(waitingFor)} <Time at={wakesAt} />
        </>
      ) : null}
    </>
  );
}

function whenWords(waitingFor: string): string {
  if (isHold(waitingFor) || waitingFor === 'webhook') return 'Tries again';
  return waitingFor === 'delay' || waitingFor === 'time' ? 'Continues' : 'Continues at the latest';
}
