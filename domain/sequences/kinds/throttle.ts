import { defineKind, part } from './kind.ts';
import { ThrottleConfig } from './throttle-config.ts';

/** Lets so many runs of a contact pass within a time: docs/contract/sequences.md 68 to 70. */
export const throttle = defineKind({
  name: 'throttle',
  summary: 'Lets so many runs of a contact pass within a time, and drops or delays the others',
  config: ThrottleConfig,
  edges: { into: true, out: 'keyed' },
  branchKeys: (config) => (part(config, 'otherwise') === 'delay' ? ['passed'] : ['passed', 'dropped']),
  arrive: (config) => ({ does: 'throttle', config }),
  task: () => ({ does: 'wait', waitingFor: 'throttle', endedBy: null, timeoutOutcome: 'passed' }),
});
