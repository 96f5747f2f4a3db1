import * as z from 'zod';
import type { EnrollmentActionRow } from '../db/entities/index.ts';
import { ACTION_STATUSES, ENROLLMENT_ACTIONS, RUN_ACTIONS } from '../domain/sequences/enrollment-action.ts';
import { NodeId } from '../domain/sequences/kinds/kind.ts';
import { actionWorkflowId } from '../workflows/contracts.ts';
import { RunFilterInput } from './run-schemas.ts';
import { CreatedAt, Timestamp } from './schemas.ts';

export const RunActionName = z.enum(RUN_ACTIONS).meta({
  id: 'RunAction',
  description:
    '`move`: they go on at the node `to` of the current version, as if they had just got there; `cancel`: they end, as by DELETE /enrollments/:id; ' +
    '`resume`: those that are held look at once whether they may go on; `retry`: a step that is tried again is tried at once, and those that ended ' +
    'since a step failed go on at that step',
});

export const EnrollmentActionRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    sequence_key: z.string().meta({ description: 'The key of its sequence' }),
    action: z.enum(ENROLLMENT_ACTIONS).meta({ description: 'What is done; `migrate`: what a PUT of the graph asked for' }),
    filter: RunFilterInput.meta({ description: 'Which runs it was asked for' }),
    to: z.string().nullable().meta({ description: 'Of a move: the node to which' }),
    migrate: z
      .record(NodeId, NodeId.nullable())
      .nullable()
      .meta({ description: 'Of a migration: the new node of those who stand at a node; null: they end' }),
    version: z.int().nullable().meta({ description: 'In which version those go on that are moved; null: none is' }),
    status: z.enum(ACTION_STATUSES).meta({ description: '`cancelled`: by a call, by an operator, or since the sequence was archived' }),
    total: z.int().meta({ description: 'Runs that matched when it was asked for: no others are touched' }),
    done: z.int().meta({ description: 'With how many it was done so far' }),
    skipped: z.int().meta({ description: 'How many stood otherwise when their turn came, or could not do it' }),
    created_at: CreatedAt,
    ended_at: Timestamp.nullable().meta({ description: 'null: it runs' }),
    workflow_id: z.string().meta({ description: 'The workflow id in Temporal' }),
  })
  .meta({ id: 'EnrollmentAction', description: 'What is done with many runs of a sequence by one call' });

export function actionRecord(sequenceKey: string, row: EnrollmentActionRow): z.output<typeof EnrollmentActionRecord> {
  const { id, action, filter, to_node, migrate, to_version, status, total, done, skipped, created_at, ended_at } = row;
  return {
    ...{ id, sequence_key: sequenceKey, action, filter: filter as z.output<typeof RunFilterInput>, to: to_node },
    ...{ migrate: migrate && { ...migrate }, version: to_version, status, total, done, skipped, created_at, ended_at },
    workflow_id: actionWorkflowId(id),
  };
}
