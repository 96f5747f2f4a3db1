import { LRUCache } from 'lru-cache';
import { createAsk } from './ask.ts';
import { type DnsAnswer, follow, type TimedAnswer } from './follow.ts';
import type { Question, RecordType } from './message.ts';
import { fitsDns, isPlainText, plainName } from './name.ts';
import type { NameServer } from './name-server.ts';

export interface Dns {
  /** The name in ASCII; throws TypeError for other characters. Rejects only with the reason of the signal. */
  records(name: string, type: RecordType, options?: AskOptions): Promise<DnsAnswer>;
}

export interface AskOptions {
  /** Past what is known here, as whoever has just changed a record expects. What name servers keep stays theirs. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface DnsOptions {
  /** They ask further for us, like those of the operating system, which are asked otherwise. */
  readonly servers?: readonly NameServer[] | undefined;
  /** Of a call, however many servers and aliases it takes. */
  readonly timeoutMs: number;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

interface UnderWay {
  readonly answer: Promise<DnsAnswer>;
  readonly stop: AbortController;
  askers: number;
}

const MOST_KEPT = 5_000;
const LONGEST_KEPT_SECONDS = 3_600;
/** Of what is not there and may be any moment. */
const LONGEST_ABSENCE_SECONDS = 300;

/** Questions that are the same are asked once at a time, and answers kept for as long as they say, at most an hour; outages never. */
export function createDns({ servers, timeoutMs, now = () => performance.now() }: DnsOptions): Dns {
  const ask = createAsk(servers, timeoutMs);
  const kept = new LRUCache<string, DnsAnswer>({ max: MOST_KEPT, ttlResolution: 0, perf: { now } });
  const asked = new Map<string, UnderWay>();

  const find = async (key: string, question: Question, stopped: AbortSignal): Promise<DnsAnswer> => {
    const timed = await follow(ask, question, AbortSignal.any([stopped, AbortSignal.timeout(Math.ceil(timeoutMs))]));
    const ttl = keptMs(timed);
    if (ttl > 0) kept.set(key, timed.answer, { ttl });
    return timed.answer;
  };

  const begin = (key: string, question: Question): UnderWay => {
    const stop = new AbortController();
    const begun = { answer: find(key, question, stop.signal), stop, askers: 0 };
    asked.set(key, begun);
    return begun;
  };

  const answerTo = async (question: Question, { fresh, signal }: AskOptions): Promise<DnsAnswer> => {
    const key = `${question.type} ${question.name}`;
    const known = fresh ? undefined : kept.get(key);
    if (known) return known;
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

/** 0: not at all. */
function keptMs({ answer: { status }, ttlSeconds }: TimedAnswer): number {
  return Math.min(ttlSeconds, status === 'found' ? LONGEST_KEPT_SECONDS : LONGEST_ABSENCE_SECONDS) * 1000;
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
