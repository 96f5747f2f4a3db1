import { z } from 'zod';
import type { ReceiverRule } from '../../domain/sends/receiver-rules.ts';
import { jsonOf } from '../json-setting.ts';
import type { SettingRule } from '../setting-rules.ts';

const MOST_RULES = 200;
const MOST_DOMAINS = 1_000;
const EXAMPLE = '[{ "receiver": "gmail.com", "ratePerSecond": 20, "connections": 5 }]';

const Domain = z
  .string()
  .toLowerCase()
  .regex(/^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/, 'not a domain like example.com');

const Rules = z
  .array(
    z.strictObject({
      receiver: Domain,
      domains: z.array(Domain).max(MOST_DOMAINS).optional(),
      ratePerSecond: z.number().positive().max(100_000).optional(),
      connections: z.int().min(1).max(1_000).optional(),
    }),
  )
  .max(MOST_RULES)
  .refine((rules) => new Set(rules.map(({ receiver }) => receiver)).size === rules.length, 'two of them have the same receiver');

/** EMAIL_RECEIVERS. */
export const EMAIL_RECEIVERS: SettingRule<readonly ReceiverRule[]> = jsonOf(Rules, EXAMPLE);
