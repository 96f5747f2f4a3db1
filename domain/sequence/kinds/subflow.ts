import * as z from 'zod';
import { defineKind } from './kind.ts';

const SubflowConfig = z
  .strictObject({ sequenceKey: z.string().min(1).max(64), mode: z.enum(['enroll', 'wait']).optional() })
  .meta({ id: 'SubflowConfig' });

/** Enrolls the contact into another sequence; `wait` goes on when that run has ended. */
export const subflow = defineKind({
  name: 'subflow',
  config: SubflowConfig,
  edges: { into: true, out: 'plain' },
  outcomes: ({ mode }) => [mode === 'wait' ? 'waited' : 'enrolled', 'passed'],
  arrive: ({ sequenceKey, mode }) => ({ does: 'enter', sequenceKey, wait: mode === 'wait' }),
  task: ({ sequenceKey }) => ({ does: 'wait', waitingFor: 'subflow', endedBy: { sequenceKey }, timeoutOutcome: 'waited' }),
});
