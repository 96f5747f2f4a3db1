import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client.ts';
import { asFailure } from '../../../api/failure.ts';
import type { Block } from '../template-queries.ts';

export type SavedBlock = Schemas['SavedBlock'];

/** What to say of a name that another block has; undefined: it is something else. */
export function nameFault(error: unknown): string | undefined {
  return error && asFailure(error).details.code === 'duplicate_label' ? 'Another saved block has this name' : undefined;
}

/** All queries of saved blocks begin with it. */
export const SAVED_BLOCKS = ['saved-blocks'] as const;

/** All of the project, by their names. */
export function savedBlocksQuery() {
  return queryOptions({
    queryKey: [...SAVED_BLOCKS, 'list'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/saved-blocks', { signal }))).savedBlocks,
    staleTime: 0,
  });
}

/** Keeps a block under a name. Throws Failure. */
export function saveBlock(name: string, block: Block): Promise<SavedBlock> {
  return answerOf(api.POST('/saved-blocks', { body: { name, block } }));
}

export function renameSavedBlock(id: string, name: string): Promise<SavedBlock> {
  return answerOf(api.PATCH('/saved-blocks/{id}', { params: { path: { id } }, body: { name } }));
}

export async function deleteSavedBlock(id: string): Promise<void> {
  await answerOf(api.DELETE('/saved-blocks/{id}', { params: { path: { id } } }));
}
