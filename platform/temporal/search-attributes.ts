import type { ConnectionLike } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../../workflows/contracts.ts';

/** What an operator filters workflows by in Temporal Web; all of type Keyword (docs/contract/temporal.md 4). */
export const searchAttributeNames: readonly string[] = Object.values(SEARCH_ATTRIBUTES);

const { INDEXED_VALUE_TYPE_KEYWORD } = proto.temporal.api.enums.v1.IndexedValueType;

/** Adds those that the namespace does not have yet; safe to call at every start and by several processes at once. */
export async function registerSearchAttributes(connection: ConnectionLike, namespace: string): Promise<void> {
  const missing = await missingAttributes(connection, namespace);
  if (missing.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
    });
  } catch (error) {
    // Another process may have added them in between.
    if ((await missingAttributes(connection, namespace)).length > 0) throw error;
  }
}

async function missingAttributes(connection: ConnectionLike, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return searchAttributeNames.filter((name) => customAttributes[name] === undefined);
}
