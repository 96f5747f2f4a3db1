import * as z from 'zod';
import { listSequenceVersions } from '../../../db/queries/sequences/sequence-versions.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { notFound } from '../../../domain/errors.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Limit, Timestamp, VersionNumber } from '../../schemas.ts';
import { SequenceKeyParam } from '../../sequence-schemas.ts';

const SequenceVersion = z
  .object({
    version: z.int().meta({ description: 'For GET /sequences/:key?version=…' }),
    nodes: z.int().meta({ description: 'How many its graph has' }),
    created_at: Timestamp.meta({ description: 'When it was put' }),
    active: z.int().meta({ description: 'Runs that are under way by it: they stay on it when another is put' }),
  })
  .meta({ id: 'SequenceVersion', description: 'A graph that a sequence has or had' });

const list = defineRoute({
  method: 'get',
  path: '/sequences/:key/versions',
  scope: 'sequences:read',
  summary: 'List the versions of a sequence, latest first',
  description: 'All are kept: runs go on by the version that they started with. Who made one is not recorded.',
  params: SequenceKeyParam,
  query: z.object({
    limit: Limit,
    before: VersionNumber.optional().meta({ description: 'Only versions before this one: the next page' }),
    inUse: z.enum(['true', 'false']).optional().meta({ description: '`true`: only the current one and those by which runs are under way' }),
  }),
  status: 200,
  reply: z.object({ versions: z.array(SequenceVersion).meta({ description: 'This page; the first of all is the current one' }) }),
  errors: ['not_found'],
  examples: examples.versions,
  async handle({ em, project }, { params, query }) {
    const sequence = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    return {
      versions: await listSequenceVersions(em, sequence.id, { before: query.before, inUse: query.inUse === 'true', limit: query.limit }),
    };
  },
});

export const routes: readonly Route[] = [list];
