import { createHash } from 'node:crypto';
import * as z from 'zod';
import { boundedArray } from '../../bounded-array.ts';
import { OutcomeKey, positive } from '../schema-parts.ts';
import { defineKind, keysIn, part, pass } from './kind.ts';

const SplitConfig = z
  .strictObject({
    arms: boundedArray(
      z.strictObject({ key: OutcomeKey, weight: positive.optional().meta({ description: 'Relative; 1 when omitted' }) }),
      10,
      { error: '2 to 10 arms' },
    )
      .min(2, { error: '2 to 10 arms' })
      .refine((arms) => new Set(arms.map(({ key }) => key)).size === arms.length, { error: 'each key once' })
      .meta({ description: 'Each key once' }),
  })
  .meta({ id: 'SplitConfig', description: 'Arms of a test' });

/** Arms by weight, 1 where none is given. */
export const split = defineKind({
  name: 'split',
  summary: 'Takes one of several arms by weight, the same for a contact in every run',
  config: SplitConfig,
  edges: { into: true, out: 'keyed' },
  branchKeys: (config) => keysIn(part(config, 'arms')),
  /** By a stable hash of contact, sequence and node, so that simulate and every real run of a contact take the same arm. */
  arrive({ arms }, { contactId, sequenceKey }, nodeId) {
    const total = arms.reduce((sum, { weight = 1 }) => sum + weight, 0);
    const digest = createHash('sha256')
      .update(JSON.stringify([contactId, sequenceKey, nodeId]))
      .digest();
    let point = (digest.readUIntBE(0, 6) / 2 ** 48) * total;
    const chosen = arms.find(({ weight = 1 }) => {
      point -= weight;
      return point < 0;
    });
    // Sums of fractions may end a little below the total.
    const { key } = chosen ?? arms[arms.length - 1]!;
    return pass(key, `arm ${key}`);
  },
});
