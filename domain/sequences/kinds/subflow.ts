import * as z from 'zod';
import { defineKind } from './kind.ts';

const SubflowConfig = z
  .strictObject({
    sequenceKey: z.string().min(1).max(64).meta({ description: 'The key of the other sequence' }),
    mode: z
      .enum(['enroll', 'wait'])
      .optional()
      .meta({ description: '`wait` goes on when the other run has ended; `enroll` (when omitted) at once' }),
  })
  .meta({ id: 'SubflowConfig', description: 'Which sequence' });

/** Enrolls the contact into another sequence; `wait` goes on when that run has ended. */
export const subflow = defineKind({
  name: 'subflow',
  summary: 'Enrolls the contact into another sequence, or waits until that run has ended',
  config: SubflowConfig,
  edges: { into: true, out: 'plain' },
  outcomes: ({ mode }) => [mode === 'wait' ? 'waited' : 'enrolled', 'passed'],
  arrive: ({ sequenceKey, mode }) => ({ does: 'enter', sequenceKey, wait: mode === 'wait' }),
  task: ({ sequenceKey }) => ({ does: 'wait', waitingFor: 'subflow', endedBy: { sequenceKey }, timeoutOutcome: 'waited' }),
});
