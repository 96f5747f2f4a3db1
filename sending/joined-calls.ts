import { inKeyedBatches } from '../platform/batches.ts';
import type { BatchDeps, Stages } from './batch-deps.ts';
import { unlessRefused } from './batch-item.ts';
import type { MailRequest } from './request.ts';
import { beginBatch } from './send-batch.ts';
import type { Source } from './source.ts';

/** A statement for more of them takes longer than the next one waits. */
export const MOST_JOINED = 100;

/**
 * Sends the mails of calls that come one by one; calls for one template of a project, or with content of their own, that arrive while others
 * are made ready go together. Throws the Refusal of a mail that cannot be made for its project.
 */
export function joinedCalls<Request extends MailRequest, Result>(
  deps: BatchDeps,
  stages: Stages,
  source: Source<Request, Result>,
): (request: Request) => Promise<Result> {
  const begin = inKeyedBatches(
    async (batch: readonly Request[]) => (await beginBatch(deps, stages, source, batch)).map((result) => ({ result })),
    kindOf,
    { most: MOST_JOINED, atOnce: 1, mayBeOnesAlone: () => false },
  );
  return async (request) => unlessRefused((await begin(request)).result);
}

/** What calls have in common that go together. */
export function kindOf({ projectId, template }: MailRequest): string {
  return `${projectId} ${template}`;
}
