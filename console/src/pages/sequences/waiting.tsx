import type { ReactNode } from 'react';
import { LONGEST_CAP_WAIT_HOURS } from '../../api/limits.ts';
import { hoursAfter } from '../../show/relative-time.ts';
import { Time } from '../../show/time.tsx';
import { isHeldByCap, isHold, waitingWords } from './run-words.ts';
import { CAP_WAIT } from './settings-words.ts';

interface Given {
  /** The frequency cap of the run in words; undefined: not known here. */
  readonly cap?: string | undefined;
  /** When the run came to where it is; undefined: not known here. */
  readonly since?: string | undefined;
  /** As the API names it. */
  readonly waitingFor: string;
  readonly wakesAt: string | null;
}

/** What a run waits for, and when it goes on: "Waiting for its time. Continues in 3 days". Of an email over the cap, also what comes of it. */
export function Waiting({ waitingFor, wakesAt, cap, since }: Given): ReactNode {
  return (
    <>
      {waitingWords(waitingFor, cap)}
      {wakesAt ? (
        <>
          . {whenWords(waitingFor)} <Time at={wakesAt} />
        </>
      ) : null}
      {isHeldByCap(waitingFor) ? capEnd(wakesAt, since) : null}
    </>
  );
}

/** At the end of its patience nothing has left the cap's window yet: then it is skipped. Before, it wakes because something has. */
function capEnd(wakesAt: string | null, since: string | undefined): string {
  if (!wakesAt || !since) return `. An email on hold for ${CAP_WAIT} is skipped`;
  const isLast = Date.parse(wakesAt) >= hoursAfter(since, LONGEST_CAP_WAIT_HOURS);
  return isLast ? ', and is skipped then, as things stand: the cap allows no other email before' : ', when the cap allows another email';
}

function whenWords(waitingFor: string): string {
  if (waitingFor === 'held:send_window') return 'Continues';
  if (isHold(waitingFor) || waitingFor === 'webhook') return 'Tries again';
  return waitingFor === 'delay' || waitingFor === 'time' || waitingFor === 'throttle' ? 'Continues' : 'Continues at the latest';
}
