import { createAsk } from './ask.ts';
import { type DnsAnswer, follow } from './follow.ts';
import type { Question, RecordType } from './message.ts';
import { fitsDns, isPlainText, plainName } from './name.ts';
import type { NameServer } from './name-server.ts';

export interface Dns {
  /** The name in ASCII; throws TypeError for other characters. Rejects only with the reason of the signal. */
  records(name: string, type: RecordType, options?: AskOptions): Promise<DnsAnswer>;
}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface DnsOptions {
  /** They ask further for us, like those of the operating system, which are asked otherwise. */
  readonly servers?: readonly NameServer[] | undefined;
  /** Of a call, however many servers and aliases it takes. */
  readonly timeoutMs: number;
}

interface UnderWay {
  readonly answer: Promise<DnsAnswer>;
  readonly stop: AbortController;
  askers: number;
}

/**
 * Questions that are the same are asked once at a time. No answer is kept: the servers do that, for all processes alike, and one process that knew an older
 * answer than another would take back what that one has found.
 */
export function createDns({ servers, timeoutMs }: DnsOptions): Dns {
  const ask = createAsk(servers, timeoutMs);
  const asked = new Map<string, UnderWay>();

  const find = (question: Question, stopped: AbortSignal): Promise<DnsAnswer> =>
    follow(ask, question, AbortSignal.any([stopped, AbortSignal.timeout(Math.ceil(timeoutMs))]));

  const begin = (key: string, question: Question): UnderWay => {
    const stop = new AbortController();
    const begun = { answer: find(question, stop.signal), stop, askers: 0 };
    asked.set(key, begun);
    return begun;
  };

  const answerTo = async (question: Question, { signal }: AskOptions): Promise<DnsAnswer> => {
    const key = `${question.type} ${question.name}`;
    const shared = asked.get(key) ?? begin(key, question);
    shared.askers++;
    try {
      return await unlessAborted(shared.answer, signal);
    } finally {
      // The last one who waits stops it, unless it is over.
      if (--shared.askers === 0) {
        if (asked.get(key) === shared) asked.delete(key);
        shared.stop.abort();
      }
    }
  };

  return {
    async records(text, type, options = {}) {
      options.signal?.throwIfAborted();
      const name = plainName(text);
      if (!isPlainText(name)) throw new TypeError('a name that DNS is asked for is ASCII, without spaces');
      return fitsDns(name) ? answerTo({ name, type }, options) : { status: 'no_such_name', aliases: [] };
    },
  };
}

async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return answer;
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
