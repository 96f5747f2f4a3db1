import type { EntityManager } from '../../db/orm.ts';
import { noteChecks } from '../../db/queries/segments/membership-checks.ts';
import { signalWatchers } from '../../db/queries/sequences/enrollment-signals.ts';

/**
 * In the transaction of a change that conditions may see about contacts of the project: runs that depend on them look again, and so do the segments by
 * which sequences are entered. `isSandboxed`: a test key made the change.
 */
export async function tellOfChange(
  tx: EntityManager,
  projectId: string,
  contactIds: readonly string[],
  { isSandboxed = false }: { readonly isSandboxed?: boolean } = {},
): Promise<void> {
  await signalWatchers(tx, projectId, contactIds);
  await noteChecks(tx, projectId, contactIds, { isSandboxed });
}
