import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import type { Delivery } from './webhook-queries.ts';

/** What became of a delivery; one that was refused and is tried again says so. */
export function DeliveryStatus({ delivery: { status, attempts } }: { readonly delivery: Delivery }): ReactNode {
  return status === 'pending' && attempts > 0 ? <Status value="retrying" tone="warning" /> : <Status value={status} />;
}
