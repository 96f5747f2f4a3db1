import * as z from 'zod';
import { JsonValue } from '../../json-value.ts';
import { MAX_URL_LENGTH } from '../../text-lengths.ts';
import { positive } from '../schema-parts.ts';
import { defineKind, part, parts, RUN_VARIABLES } from './kind.ts';

const WebhookConfig = z
  .strictObject({
    url: z
      .string()
      .max(MAX_URL_LENGTH, { error: `at most ${MAX_URL_LENGTH} characters` })
      .meta({ description: 'https; Liquid behind the host. The address must be public' }),
    method: z.enum(['POST', 'PUT', 'PATCH', 'GET']).optional().meta({ description: 'POST when omitted' }),
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { error: 'not a header name' }), z.string().max(2000))
      .refine((headers) => Object.keys(headers).length <= 50, { error: 'at most 50 headers' })
      .meta({ maxProperties: 50, description: 'Further headers; their values are Liquid' })
      .optional(),
    body: JsonValue.optional().meta({
      description: 'A JSON value whose texts are Liquid, at most 1 MB once they are rendered; contact, event and enrollment when omitted',
    }),
    timeoutSeconds: positive.max(30, { error: 'at most 30' }).optional().meta({ description: 'For one try; 15 when omitted' }),
    onError: z
      .enum(['continue', 'fail'])
      .optional()
      .meta({ description: 'When the last try failed: `continue` (when omitted) goes on, `fail` ends the enrollment' }),
  })
  .meta({ id: 'WebhookNodeConfig', description: 'The call' });
export type WebhookConfig = z.output<typeof WebhookConfig>;

export const webhook = defineKind({
  name: 'webhook',
  summary: 'Calls an address of yours, signed by Standard Webhooks 1.0',
  config: WebhookConfig,
  edges: { into: true, out: 'plain' },
  liquid: (config) => parts(config, 'url', 'headers', 'body'),
  variables: { names: { ...RUN_VARIABLES, enrollment: ['id', 'sequence_key', 'node_id'] } },
  names(config) {
    const url = part(config, 'url');
    return typeof url === 'string' ? [{ of: 'url', name: url }] : [];
  },
  outcomes: () => ['called', 'failed'],
  arrive: () => ({ does: 'stand', until: null }),
  task: ({ method = 'POST', url }) => ({ does: 'call', method, url }),
  finishesAfterEnd: true,
  endsRun: ({ onError }, outcome) => (onError === 'fail' && outcome === 'failed' ? 'failed' : undefined),
});
