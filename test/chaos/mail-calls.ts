import { type ErrorCode, STATUS_OF } from '../../domain/errors.ts';
import type { Call } from './observed.ts';

/** Of the mail of a batch that nobody can send. */
export const NO_TEMPLATE = 'no-such-template';

/**
 * The calls, with each batch as the calls of POST /send that it stands for, answered as they would have been. Mails that nobody can send are left
 * out: their batch answers for them.
 */
export function mailCalls(calls: readonly Call[]): readonly Call[] {
  return calls.flatMap((call) => (call.kind === 'batch' ? callsIn(call) : [call]));
}

function callsIn(batch: Call): readonly Call[] {
  const { key, status, answer } = batch;
  return (batch.body.mails as readonly Call['body'][]).flatMap((body, place) => {
    if (body.template === NO_TEMPLATE) return [];
    const result = status === 200 ? answer.results[place] : answer;
    const own = key === undefined ? undefined : `${key}[${place}]`;
    const kind = body.sendAt === undefined ? ('send' as const) : ('schedule' as const);
    return [{ ...batch, kind, path: '/send', body, key: own, status: status === 200 ? statusOf(result) : status, answer: result }];
  });
}

/** What POST /send would have been answered with. */
function statusOf(result: Call['answer']): number {
  if (result.ok) return result.status === 'scheduled' ? 202 : 200;
  return result.reason === 'provider_unavailable' ? 503 : (STATUS_OF[result.code as ErrorCode] ?? 500);
}
