import { defineEntity, type InferEntity } from '@mikro-orm/core';

/** How far reconciling has come with the workflows of one type. */
export const ReconcileProgress = defineEntity({
  name: 'ReconcileProgress',
  tableName: 'reconcile_progress',
  properties: (p) => ({
    workflow_type: p.text().primary(),
    /** Every workflow that closed before this has been compared with its row. */
    closed_until: p.datetime(3).strictNullable(),
    /** The last open row that was compared; null at the beginning of a round. */
    compared_to: p.uuid().strictNullable(),
    /** The number of the last pass, in a row of its own. */
    pass: p.integer().strictNullable(),
    /** When the last pass was finished, in the row of passes. */
    passed_at: p.datetime(3).strictNullable(),
  }),
});
export type ReconcileProgressRow = InferEntity<typeof ReconcileProgress>;
