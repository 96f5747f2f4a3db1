import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, ApiFailure } from '../api.ts';
import type { Command, Given } from '../command.ts';
import { UsageFailure } from '../failure.ts';
import { plain } from '../output.ts';

/** As an endpoint would have it: docs/webhooks. */
const ANSWER_SECONDS = 15;
/** Handed over at once, and fetched at once: a slow receiver must not keep the server waiting for the next call. */
const AT_ONCE = 10;
const AGAIN_MS = 2_000;

interface Event {
  readonly id: string;
  readonly event_type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function run(given: Given): Promise<undefined> {
  const { text, texts, out, api, ending } = given;
  const forward = text('forward');
  if (forward === undefined || !/^https?:/.test(forward) || !URL.canParse(forward))
    throw new UsageFailure('say where events go: --forward http://localhost:8080/hook');
  const secret = text('secret') ?? (process.env.EVERPOST_WEBHOOK_SECRET || undefined);
  const events = texts('event');
  const listen = (signing: string | undefined) =>
    api.call('webhooks.listen', {
      body: { ...(events.length > 0 ? { events } : {}), ...(signing === undefined ? {} : { secret: signing }) },
    });
  const made = await listen(secret);
  let path = [made.listener.id];
  out.note(`listening to ${events.length > 0 ? events.join(', ') : 'all events'} of ${api.url}, for ${forward}`);
  out.note(`as listener ${plain(made.listener.id)}, which keeps the answers while this runs`);
  out.note(secret === undefined ? `signed with ${made.secret}` : 'signed with the secret that was given');
  // Named as done too, for a server of an earlier version, which does not know of answers.
  let answers: Answer[] = [];
  let told: string | undefined;
  try {
    while (!ending.aborted) {
      let deliveries: readonly Event[];
      try {
        ({ deliveries } = await api.call('webhooks.nextEvents', {
          path,
          body: { done: answers.map(({ id }) => id), answers, limit: AT_ONCE },
          signal: ending,
        }));
      } catch (error) {
        if (ending.aborted) break;
        if (error instanceof ApiFailure && error.status === 404) {
          // This machine slept for so long that the server has given it up.
          path = [(await listen(made.secret)).listener.id];
          answers = [];
          out.note('listening anew: nobody had asked for a while, and what happened then was not kept');
          continue;
        }
        if (!isPassing(error)) throw error;
        // Once, and not at each try.
        if (told !== error.message) out.note(`${error.message}; trying again`);
        told = error.message;
        await sleep(AGAIN_MS, undefined, { signal: ending }).catch(() => {});
        continue;
      }
      told = undefined;
      answers = [];
      // In their order: a receiver is told of the beginning before the end.
      for (const event of deliveries) {
        if (ending.aborted) break;
        answers.push(await handOver(event, forward, given));
      }
    }
  } finally {
    // What is not deleted ends by itself.
    await api.call('webhooks.deleteListener', { path }).catch(() => {});
  }
  return undefined;
}

/** Whether a call that failed may work later, with the same listener. */
function isPassing(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && (error.status === undefined || error.status === 429 || error.status >= 500);
}

/** What the receiver answered. */
interface Answer {
  readonly id: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly milliseconds: number;
}

/** Calls the receiver once. What it answers is shown, and nothing is tried again: whoever looks on sees it. */
async function handOver({ id, event_type, headers, body }: Event, forward: string, { out, ending }: Given): Promise<Answer> {
  const began = performance.now();
  const answer: { status: number | null; error: string | null } = await fetch(forward, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(ANSWER_SECONDS * 1000), ending]),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return { status: response.status, error: null };
    },
    (error: Error) => ({ status: null, error: (error.cause as Answered)?.code ?? error.message }),
  );
  const milliseconds = Math.round(performance.now() - began);
  const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300;
  out.record({ id, type: event_type, ...answer, milliseconds, body: JSON.parse(body) }, () => {
    const outcome = out.paint(isTaken ? 'green' : 'red', String(answer.status ?? answer.error));
    out.line(`${new Date().toISOString()}  ${event_type}  ${outcome}  ${milliseconds} ms  ${plain(id)}`);
  });
  return { id, ...answer, milliseconds };
}

export const webhooksListen: Command = {
  name: 'webhooks listen',
  isEndless: true,
  summary: "Hand the project's events to a local port with their real signatures, until Ctrl-C",
  options: {
    forward: { type: 'string', value: '<url>', description: 'where they go, like http://localhost:8080/hook' },
    event: { type: 'string', value: '<type>', multiple: true, description: 'only these, like email.delivered; all when omitted' },
    secret: {
      type: 'string',
      value: '<secret>',
      description: 'what they are signed with (EVERPOST_WEBHOOK_SECRET); a new one, which is shown, when omitted',
    },
  },
  fields: { events: 'event' },
  details:
    'No tunnel: they are fetched from the API. Each is handed over once, and its answer shown; endpoints of the project get theirs all the same.\n' +
    'With --json a line each.',
  run,
};
