import * as z from 'zod';
import type { JsonSchema } from '../../openapi/components.ts';
import { defineTool } from '../tool.ts';
import { bodySchemaOf, contentSchema } from '../tool-schemas.ts';
import { counted } from './shared.ts';

const getProject = defineTool({
  name: 'get_project',
  title: 'The project',
  description:
    'Which project the key is of, its brands and senders, whether it is a sandbox from which nothing leaves, and what the key is allowed.',
  kind: 'read',
  scopes: [],
  input: z.object({}),
  hasParts: true,
  async run({ ask }) {
    const { project, grants, brands } = await ask<{ project: unknown; grants: string[]; brands: unknown[] }>({
      method: 'GET',
      path: '/me',
    });
    return { says: [`The key has the scopes ${grants.join(', ') || 'none'}.`], data: { project, brands } };
  },
});

const listAttention = defineTool({
  name: 'list_attention',
  title: 'What needs a look',
  description:
    'What in the project needs a look now: providers that fail, senders that cannot send, domains without DNS records, held campaigns and runs, late emails, failing sequences and templates. ' +
    'Use it for “is everything all right?” and first when many emails are missing.',
  kind: 'read',
  scopes: [],
  input: z.object({}),
  hasParts: true,
  async run({ ask }) {
    const { items } = await ask<{ items: unknown[] }>({ method: 'GET', path: '/attention' });
    return items.length > 0
      ? { says: [`${counted(items.length, 'thing needs', 'things need')} a look.`], data: { items } }
      : { says: ['All is well.'] };
  },
});

/** Made when they are first asked for. */
const made = new Map<string, JsonSchema>();
const FORMATS = {
  sequence_graph: () => bodySchemaOf('PUT /sequences/:key'),
  template_content: contentSchema,
  campaign: () => bodySchemaOf('PATCH /campaigns/:id'),
  segment_filter: () => bodySchemaOf('POST /segments/preview'),
} as const;

const getFormat = defineTool({
  name: 'get_format',
  title: 'The form of what can be drafted',
  description:
    "The JSON Schema of what the drafting tools take: `template_content` (draft_template), `sequence_graph` (draft_sequence, simulate_sequence), `campaign`, `segment_filter`. It is the API's own.",
  kind: 'read',
  scopes: [],
  input: z.object({ of: z.enum(['sequence_graph', 'template_content', 'campaign', 'segment_filter']) }),
  hasParts: true,
  async run(_, { of }) {
    // As it stands, though it is long: half a schema is of no use.
    const schema = made.get(of) ?? FORMATS[of]();
    made.set(of, schema);
    return { says: ['A JSON Schema of Everpost.'], data: schema, most: 60_000 };
  },
});

export const tools = [getProject, listAttention, getFormat];
