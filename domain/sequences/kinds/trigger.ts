import { defineKind, NoConfig, pass } from './kind.ts';

/** How the visit to it ends, whoever enters. */
export const ENTERED = pass('enrolled', 'entered the sequence');

/** Where a run begins. */
export const trigger = defineKind({
  name: 'trigger',
  summary: 'Where a run begins: one in each graph',
  config: NoConfig,
  edges: { into: false, out: 'plain' },
  arrive: () => ENTERED,
});
