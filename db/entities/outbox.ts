import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { TemporalMessage } from '../../workflows/contracts.ts';

export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    route: p.text().primary(),
    key: p.text().primary(),
    request_hash: p.blob().$type<Buffer>(),
    response: p.json<Readonly<Record<string, unknown>>>().strictNullable(),
    response_status: p.integer().strictNullable(),
    leased_until: p.datetime(3),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type IdempotencyKeyRow = InferEntity<typeof IdempotencyKey>;

export const OutboxMessage = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox',
  properties: (p) => ({
    id: p.bigint('number').primary(),
    workflow_id: p.text(),
    message: p.json<TemporalMessage>(),
    priority: p.smallint().defaultRaw(`1`),
    project_id: p.uuid().defaultRaw(`'00000000-0000-0000-0000-000000000000'`),
    attempts: p.integer().defaultRaw(`0`),
    due_at: p.datetime(3).defaultRaw(`now()`),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type OutboxMessageRow = InferEntity<typeof OutboxMessage>;
