import type { ReactNode } from 'react';
import { Status } from '../../../show/status.tsx';
import type { Import } from './import-queries.ts';

/** Its state in a word. */
export function ImportStatus({ shown: { status } }: { readonly shown: Pick<Import, 'status'> }): ReactNode {
  return <Status value={status} {...(status === 'running' ? { tone: 'busy' } : {})} />;
}
