import { constants } from 'node:os';
import type { Api, CallInput, Operation } from './api.ts';
import { Failure } from './failure.ts';

/** Calls that change nothing: they are given up in the middle. Any other is waited for, so that what was done is known. */
const READS: ReadonlySet<Operation> = new Set<Operation>([
  ...(['contacts.get', 'contacts.list', 'contacts.timeline', 'me', 'sends.list', 'sequences.get', 'sequences.list'] as const),
  ...(['sequences.simulate', 'sequences.versions', 'service.ready', 'templates.check', 'templates.content'] as const),
  ...(['templates.list', 'templates.schema', 'templates.source', 'webhooks.deliveries', 'webhooks.list'] as const),
]);

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The end of a command by Ctrl-C or SIGTERM. A second signal ends the process at once. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Which signal came, if one did. */
  came(): (typeof SIGNALS)[number] | undefined;
  /** What a shell expects of a process that a signal ended. */
  exitCode(): number;
  stopListening(): void;
}

export function listenForEnding(): Ending {
  const controller = new AbortController();
  let came: (typeof SIGNALS)[number] | undefined;
  const end = (signal: NodeJS.Signals): void => {
    came = SIGNALS.find((one) => one === signal);
    stopListening();
    controller.abort();
  };
  const stopListening = (): void => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return {
    signal: controller.signal,
    came: () => came,
    exitCode: () => 128 + (came ? constants.signals[came] : 0),
    stopListening,
  };
}

/** The same calls, none of which begins after the end. */
export function untilEnding(api: Api, ending: AbortSignal): Api {
  const stopped = (): Failure => new Failure('stopped by a signal');
  return {
    url: api.url,
    async call<O extends Operation>(operation: O, input: CallInput = {}) {
      if (ending.aborted) throw stopped();
      if (!READS.has(operation)) return api.call(operation, input);
      return api.call(operation, { signal: ending, ...input }).catch((error: unknown) => {
        throw ending.aborted ? stopped() : error;
      });
    },
  };
}
