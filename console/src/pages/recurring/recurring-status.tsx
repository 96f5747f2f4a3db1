import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import type { Recurring } from './recurring-queries.ts';
import { hasFailed } from './run-words.ts';

/** Its state in a word or two; one that makes no campaign although it is active says so before all else. */
export function RecurringStatus({ recurring }: { readonly recurring: Recurring }): ReactNode {
  const { status, needs_approval, last_run } = recurring;
  if (status === 'active' && needs_approval) return <Status value="needs approval" tone="warning" />;
  if (status === 'active' && last_run && hasFailed(last_run)) return <Status value="last run failed" tone="bad" />;
  return <Status value={status} />;
}
