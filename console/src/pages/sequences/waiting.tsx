import type { ReactNode } from 'react';
import { Time } from '../../show/time.tsx';
import { isHeldByCap, isHold, waitingWords } from './run-words.ts';
import { CAP_WAIT } from './settings-words.ts';

interface Given {
  /** The frequency cap of the run in words; undefined: not known here. */
  readonly cap?: string | undefined;
  /** As the API names it. */
  readonly waitingFor: string;
  readonly wakesAt: string | null;
}

/** What a run waits for, and when it goes on: "Waiting for its time. Continues in 3 days". Of an email over the cap, also what comes of it. */
export function Waiting({ waitingFor, wakesAt, cap }: Given): ReactNode {
  return (
    <>
      {waitingWords(waitingFor, cap)}
      {wakesAt ? (
        <>
          . {whenWords(waitingFor)} <Time at={wakesAt} />
        </>
      ) : null}
      {isHeldByCap(waitingFor) ? `. An email on hold for ${CAP_WAIT} is skipped` : null}
    </>
  );
}

function whenWords(waitingFor: string): string {
  if (isHold(waitingFor) || waitingFor === 'webhook') return 'Tries again';
  return waitingFor === 'delay' || waitingFor === 'time' ? 'Continues' : 'Continues at the latest';
}
