import { ENDED } from '../end-reason.ts';
import { defineKind, NoConfig } from './kind.ts';

export const exit = defineKind({
  name: 'exit',
  summary: 'Ends the run',
  config: NoConfig,
  edges: { into: true, out: 'none' },
  arrive: () => ({ does: 'end', reason: 'exit', outcome: ENDED, detail: 'the end' }),
});
