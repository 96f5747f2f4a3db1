import { BATCH_SIZE } from '../domain/campaigns/campaign.ts';
import type { BatchDeps, Stages } from './batch-deps.ts';
import { unlessRefused } from './batch-item.ts';
import type { InFlight, Leave } from './in-flight.ts';
import { kindOf } from './joined-calls.ts';
import type { MailRequest } from './request.ts';
import { beginBatch } from './send-batch.ts';
import type { SendPace } from './send-pace.ts';
import { API_SOURCE, type KeyedResult } from './sources/call.ts';

export interface CallBatchesDeps extends BatchDeps {
  /** What there is of batches in this process at once; projects take turns. */
  readonly inFlight: InFlight;
  readonly pace: Pick<SendPace, 'perSecond'>;
}

/** What each call of a batch comes to by itself; one that cannot be made for its project is rejected with its Refusal. */
export type SettledCalls = PromiseSettledResult<KeyedResult>[];

/** Of a portion: so many may still be under way when the next one takes its place. */
const STRAGGLING = 0.25;

/** Of a batch without a deadline. */
const NEVER = new AbortController().signal;

/**
 * Sends the mails of calls that come together, in portions: a batch has in memory and in line no more than a batch of a campaign, and the mails of
 * other calls go between. The results are in the order of the requests. Of several with one key the first goes before the next is looked at, as
 * if their caller had waited for its answer. What has not begun when the deadline passes is rejected with its reason.
 */
export function callBatches(deps: CallBatchesDeps, stages: Stages): (batch: readonly MailRequest[]) => Promise<SettledCalls> {
  // Under a rate a second's worth: a provider that is given more at once would refuse the rest.
  const most = Math.min(BATCH_SIZE, Math.max(1, Math.floor(deps.pace.perSecond)));
  const sendPortion = async (portion: readonly MailRequest[]): Promise<SettledCalls> => {
    const { projectId, deadline = NEVER } = portion[0] as MailRequest;
    let asked = 0;
    const submit: Stages['submit'] = (...mail) => {
      asked++;
      return stages.submit(...mail);
    };
    let leave: Leave | undefined;
    try {
      leave = await deps.inFlight.enter(projectId, portion.length, deadline);
      const results = (await beginBatch(deps, { ...stages, submit }, API_SOURCE, portion)).map(unlessRefused);
      // The next portion waits for no single recipient whose server is slow.
      void settledBut(STRAGGLING * portion.length, results).then(() => leave?.(portion.length - asked));
      return await Promise.allSettled(results);
    } catch (reason) {
      return portion.map(() => ({ status: 'rejected', reason }));
    } finally {
      leave?.(portion.length - asked);
    }
  };
  return async (batch) => {
    const settled: SettledCalls = [];
    for (const places of inTurn(batch)) {
      await Promise.all(
        portionsOf(batch, places, most).map(async (portion) => {
          const results = await sendPortion(portion.map((place) => batch[place] as MailRequest));
          for (const [index, place] of portion.entries()) settled[place] = results[index] as SettledCalls[number];
        }),
      );
    }
    return settled;
  };
}

/** Resolves when no more than so many of them are left. */
async function settledBut(few: number, results: readonly Promise<unknown>[]): Promise<void> {
  let left = results.length;
  await new Promise<void>((resolve) => {
    const settled = (): void => {
      if (--left <= few) resolve();
    };
    for (const result of results) result.then(settled, settled);
  });
}

/** The places of a batch in the order in which they may go at the same time: no key is twice among them. */
function* inTurn(batch: readonly MailRequest[]): Generator<readonly number[]> {
  for (let left = [...batch.keys()]; left.length > 0; ) {
    const keys = new Set<string>();
    const isFirst = (place: number): boolean => {
      const { identity } = batch[place] as MailRequest;
      return identity.by !== 'key' || (!keys.has(identity.key) && keys.add(identity.key) !== undefined);
    };
    const [first, later]: [number[], number[]] = [[], []];
    for (const place of left) (isFirst(place) ? first : later).push(place);
    yield first;
    left = later;
  }
}

/** Those of one template together, as calls that come one by one are: no slow template holds up another. */
function portionsOf(batch: readonly MailRequest[], places: readonly number[], most: number): number[][] {
  const kinds = Map.groupBy(places, (place) => kindOf(batch[place] as MailRequest));
  return [...kinds.values()].flatMap((of) =>
    Array.from({ length: Math.ceil(of.length / most) }, (_, n) => of.slice(n * most, (n + 1) * most)),
  );
}
