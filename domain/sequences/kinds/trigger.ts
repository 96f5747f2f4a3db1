import { defineKind, NoConfig, pass } from './kind.ts';

/** Where a run begins. */
export const trigger = defineKind({
  name: 'trigger',
  summary: 'Where a run begins: one in each graph',
  config: NoConfig,
  edges: { into: false, out: 'plain' },
  arrive: () => pass('enrolled', 'entered the sequence'),
});
