import * as z from 'zod';
import { Refusal } from '../../../domain/errors.ts';
import * as examples from '../../examples/operations-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { version } from '../../version.ts';

const Liveness = z.object({
  status: z.literal('ok').meta({ description: 'The process lives' }),
  version: z.string().meta({ description: 'Of the program' }),
  uptimeSeconds: z.int().meta({ description: 'Since when it lives' }),
});
const alive = async () => ({ status: 'ok' as const, version, uptimeSeconds: Math.floor(process.uptime()) });

const health = defineRoute({
  method: 'get',
  path: '/health',
  scope: 'public',
  summary: 'Whether the process lives; touches no dependency',
  status: 200,
  reply: Liveness,
  examples: examples.health,
  handle: alive,
});

const healthByPost = defineRoute({
  method: 'post',
  path: '/health',
  scope: 'public',
  summary: 'The same as GET /health',
  status: 200,
  reply: Liveness,
  examples: examples.health,
  handle: alive,
});

const Check = z.enum(['ok', 'down']);
const Checks = z
  .object({ database: Check.meta({ description: 'PostgreSQL' }), temporal: Check.meta({ description: 'The Temporal server' }) })
  .meta({ id: 'ReadinessChecks', description: 'What answers' });

const ready = defineRoute({
  method: 'get',
  path: '/ready',
  scope: 'public',
  summary: 'Whether the database and Temporal answer',
  description:
    '503 not_ready with the same checks when one is down, within half a second. While Temporal is down every other route keeps working.',
  status: 200,
  reply: z.object({ checks: Checks }),
  errors: ['not_ready'],
  examples: examples.ready,
  async handle({ probes }) {
    const [database, temporal] = await Promise.all([probes.database(), probes.temporal()]);
    const checks = { database, temporal };
    const down = Object.entries(checks).flatMap(([name, state]) => (state === 'down' ? name : []));
    if (down.length > 0) throw new Refusal('not_ready', `down: ${down.join(', ')}`, { body: { checks }, retryAfterSeconds: 5 });
    return { checks };
  },
});

export const routes: readonly Route[] = [health, healthByPost, ready];
