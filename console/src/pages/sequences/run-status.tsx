import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import type { Run } from './sequence-queries.ts';

/** Where a run is in its life: an active one is under way, not done. */
export function RunStatus({ status }: { readonly status: Run['status'] }): ReactNode {
  return status === 'active' ? <Status value={status} tone="busy" /> : <Status value={status} />;
}
