import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import { type Send, stateOf } from './send-queries.ts';

/** What became of a mail. One of which nothing is known since it was submitted looks like what is under way. */
export function SendStatus({ send }: { readonly send: Pick<Send, 'status' | 'delivery_status'> }): ReactNode {
  const state = stateOf(send);
  return state === 'sent' ? <Status value={state} tone="busy" /> : <Status value={state} />;
}
