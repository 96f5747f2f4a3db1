import { OPERATION_SCOPES } from '../../generated/operation-scopes.ts';
import type { Scope } from './me.ts';

/** An operation of the API that asks a key for a scope, as its description has it, like `POST /contacts`. */
export type Operation = keyof typeof OPERATION_SCOPES;

const SCOPES: Readonly<Record<Operation, Scope>> = OPERATION_SCOPES;

/** The scope that a key needs for it. */
export function scopeOf(operation: Operation): Scope {
  return SCOPES[operation];
}
