import type { ReactNode } from 'react';
import { KeyWords } from '../keys/key-words.tsx';
import { endWords } from './run-words.ts';
import type { RunWithSteps } from './sequence-queries.ts';

/** Why it ended, and by which key where one cancelled it. */
export function RunEnding({ end_reason, cancelled_by_key_id: keyId }: Pick<RunWithSteps, 'end_reason' | 'cancelled_by_key_id'>): ReactNode {
  if (!keyId) return end_reason ? endWords(end_reason) : 'Ended';
  return (
    <>
      Cancelled by <KeyWords id={keyId} />
    </>
  );
}
