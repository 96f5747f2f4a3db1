import { capitalized, shownInstant } from '../domain/shown-text.ts';
import { type AfterAttempt, type AttemptAnswer, MOST_ATTEMPTS } from '../domain/webhooks/delivery.ts';
import type { DeliveryCommand } from '../workflows/contracts.ts';

/** What the workflow of a delivery is told, in words for operators. */
export const HELD: DeliveryCommand = {
  do: 'wait',
  state: 'held',
  until: null,
  summary: 'held: the endpoint is disabled',
  details: 'Held: the endpoint is disabled. It goes on when it is enabled',
};

export const DROPPED: DeliveryCommand = { do: 'end', status: 'dropped', details: 'Dropped: its endpoint was deleted' };

/** Where it was settled already. */
export function settledBefore(status: string): DeliveryCommand {
  return { do: 'end', status, details: capitalized(status) };
}

/** After the n-th attempt of a series, which has ended in this way. */
export function commandAfter(number: number, answer: AttemptAnswer, after: AfterAttempt): DeliveryCommand {
  const said = `attempt ${number} of ${MOST_ATTEMPTS}: ${answer.status === null ? answer.error : `answered ${answer.status}`}`;
  if (after.settled) return { do: 'end', status: after.settled, details: `${capitalized(after.settled)}. ${capitalized(said)}` };
  return retrying(after.nextAt, number + 1, said);
}

/** `said`: of the attempt before, where it was made just now. */
export function retrying(at: Date, next: number, said?: string): DeliveryCommand {
  const plan = `attempt ${next} of ${MOST_ATTEMPTS} at ${shownInstant(at)}`;
  const summary = said === undefined ? plan : `${said}; next ${shownInstant(at)}`;
  return {
    do: 'wait',
    state: 'retrying',
    until: at.getTime(),
    next,
    summary,
    details: `Waits for ${plan}${said === undefined ? '' : `. ${capitalized(said)}`}`,
  };
}

/** No slot was free for it. `number`: of the attempt that was not made, where it is a retry. */
export function waitingForPlace(until: number, number: number | undefined): DeliveryCommand {
  const notMade = number === undefined ? 'no call made yet' : `attempt ${number} not made yet`;
  const text = `waits for a place until ${shownInstant(until)}: the endpoint has as many calls at once as it may have; ${notMade}`;
  return { do: 'wait', state: 'waiting', until, summary: text, details: capitalized(text), isBusy: true };
}
