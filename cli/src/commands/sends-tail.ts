import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, ApiFailure } from '../api.ts';
import type { Command, Given } from '../command.ts';
import { UsageFailure } from '../failure.ts';
import { plain } from '../output.ts';

/** So far back rows are looked for again: one stands where its email was begun, and is there only when it has its outcome. */
const LATE_MS = 15 * 60_000;
/** Every so many looks all of that is read; in between only what is newer than anything known. */
const WHOLE_EVERY = 10;
const PAGE = 100;
/** What becomes of an email. One that is scheduled has no outcome to follow. */
const OUTCOMES = ['sent', 'failed'] as const;

async function run(given: Given): Promise<undefined> {
  const { text, choice, number, out, ending } = given;
  const pause = Number(text('interval') ?? 2) * 1000;
  if (!(pause >= 100)) throw new UsageFailure('--interval is a number of seconds, 0.1 at least');
  const query = { status: choice('status', OUTCOMES), template: text('template') };
  const before = number('last', 0) ?? 10;
  const seen = new Map<string, number>();
  const show = (send: Answered): void => {
    const { id, created_at, status, to_email, template, subject, error, delivery_status } = send;
    seen.set(id, Date.parse(created_at));
    out.record(send, () => {
      const outcome =
        status === 'failed' ? out.paint('red', `failed ${plain(error ?? '')}`) : out.paint('green', delivery_status ?? status);
      out.line(
        `${out.paint('dim', created_at)}  ${plain(to_email)}  ${plain(template ?? '-')}  ${JSON.stringify(plain(subject))}  ${outcome}`,
      );
    });
  };

  // What is there at the beginning is known, but for the latest few. One walk finds both, so that nothing comes between them.
  const began = await pages(given, query, undefined, (found) => found.length >= before && spanOf(found) > LATE_MS);
  // Not this machine's clock: it may differ from the server's.
  let newest = Date.parse(began[0]?.created_at ?? '') || 0;
  for (const { id, created_at } of began) seen.set(id, Date.parse(created_at));
  for (const send of began.slice(0, before).reverse()) show(send);

  let told: string | undefined;
  for (let looks = 1; !ending.aborted; looks++) {
    await sleep(pause, undefined, { signal: ending }).catch(() => {});
    if (ending.aborted) break;
    const isWhole = looks % WHOLE_EVERY === 0;
    const since = newest > 0 ? newest - LATE_MS : undefined;
    const found = await pages(given, query, since, (_, page) => !isWhole && page.every(({ id }) => seen.has(id))).catch(
      (error: unknown) => {
        if (ending.aborted || !isPassing(error)) throw error;
        // Once, and not at each try.
        if (told !== error.message) out.note(`${error.message}; trying again`);
        told = error.message;
      },
    );
    if (!found) continue;
    told = undefined;
    for (const send of found.reverse()) if (!seen.has(send.id)) show(send);
    newest = Math.max(newest, ...found.map(({ created_at }) => Date.parse(created_at)));
    // Twice as long as it is looked back, so that no row is forgotten while it can be met again.
    for (const [id, at] of seen) if (at < newest - 2 * LATE_MS) seen.delete(id);
  }
  return undefined;
}

/** The server is away for a while, or asks for patience. */
function isPassing(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && (error.status === undefined || error.status === 429 || error.status >= 500);
}

/** Between the newest and the oldest. */
function spanOf(found: readonly Answered[]): number {
  return Date.parse(found[0]?.created_at) - Date.parse(found.at(-1)?.created_at);
}

/** The sends from now back to `since`, newest first, or until `isEnough` says so after a page. */
async function pages(
  { api, ending }: Given,
  query: Readonly<Record<string, string | undefined>>,
  since: number | undefined,
  isEnough: (found: readonly Answered[], page: readonly Answered[]) => boolean,
): Promise<Answered[]> {
  const found: Answered[] = [];
  const from = since === undefined ? undefined : new Date(since).toISOString();
  let cursor: string | undefined;
  do {
    const page = await api.call('sends.list', { query: { ...query, from, limit: PAGE, cursor }, signal: ending });
    found.push(...page.sends);
    cursor = page.nextCursor ?? undefined;
    if (isEnough(found, page.sends)) break;
  } while (cursor !== undefined);
  return found;
}

export const sendsTail: Command = {
  name: 'sends tail',
  isEndless: true,
  summary: 'Show emails as they are sent, until Ctrl-C',
  options: {
    status: { type: 'string', value: '<status>', description: OUTCOMES.join(' or ') },
    template: { type: 'string', value: '<key>', description: 'of one template' },
    last: { type: 'string', value: '<number>', description: 'of those before so many (10)' },
    interval: { type: 'string', value: '<seconds>', description: 'between two looks (2)' },
  },
  details: 'Each email once, when it has its outcome. With --json a line each.',
  run,
};
