import type { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

/** What an operator filters workflows by in Temporal Web; all of type Keyword (decisions.md 16.3). */
export const SEARCH_ATTRIBUTES = [
  'EverpostProject',
  'EverpostSequence',
  'EverpostContact',
  'EverpostCampaign',
  'EverpostEndpoint',
  'EverpostNode',
  'EverpostState',
] as const;

const { INDEXED_VALUE_TYPE_KEYWORD } = temporal.api.enums.v1.IndexedValueType;

/** Adds those that the namespace does not have yet; safe to call at every start and by several processes at once. */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
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

async function missingAttributes(connection: Connection, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return SEARCH_ATTRIBUTES.filter((name) => customAttributes[name] === undefined);
}
