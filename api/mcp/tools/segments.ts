import * as z from 'zod';
import { defineTool } from '../tool.ts';
import { counted } from './shared.ts';

const listSegments = defineTool({
  name: 'list_segments',
  title: 'List segments',
  description:
    'The saved audiences of the project, each with its filter and how many are in it now. Campaigns take their ids, sequences their labels.',
  kind: 'read',
  scopes: ['segments:read'],
  input: z.object({}),
  hasParts: true,
  async run({ ask }) {
    const { segments, uncounted = [] } = await ask<{ segments: unknown[]; uncounted?: unknown[] }>({
      method: 'GET',
      path: '/segments',
      query: { counts: 'kept' },
    });
    const says = [
      `${counted(segments.length + uncounted.length, 'segment')}; those of \`uncounted\` take time to count: use preview_segment.`,
    ];
    return { says, data: { segments, uncounted } };
  },
});

const previewSegment = defineTool({
  name: 'preview_segment',
  title: 'Preview a segment',
  description:
    'How many contacts a filter matches now, and the newest ten of them. With `mailable` also how many would get a campaign. Saves nothing. Try a filter here before it is used.',
  kind: 'read',
  scopes: ['contacts:read'],
  input: z.object({}),
  takes: { route: 'POST /segments/preview', fields: ['filter', 'brand', 'topic', 'mailable'] },
  async run({ ask }, _, taken) {
    const { count, mailable, sample } = await ask<{ count: number; mailable: number | null; sample: unknown[] }>({
      method: 'POST',
      path: '/segments/preview',
      body: taken,
    });
    const says = [
      `${counted(count, 'contact matches', 'contacts match')}${mailable === null ? '' : `, ${mailable} of them would get a campaign`}.`,
    ];
    return { says, data: { count, mailable, sample } };
  },
});

export const tools = [listSegments, previewSegment];
