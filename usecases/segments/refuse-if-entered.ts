import type { EntityManager } from '../../db/orm.ts';
import { sequencesEnteredBy } from '../../db/queries/segments/segment-triggers.ts';
import { segmentKey } from '../../domain/conditions/needs.ts';
import { Refusal } from '../../domain/errors.ts';

/** Sequences are named up to this many. */
const MOST_NAMED = 10;

/** Without its segment a sequence would be entered by nobody, and nobody would see why. Throws segment_in_use with the keys of those sequences. */
export async function refuseIfEntered(
  tx: EntityManager,
  projectId: string,
  label: string,
  done: 'deleted' | 'called otherwise',
): Promise<void> {
  const keys = await sequencesEnteredBy(tx, projectId, segmentKey(label));
  if (keys.length === 0) return;
  const named = [...keys.slice(0, MOST_NAMED), ...(keys.length > MOST_NAMED ? ['…'] : [])].join(', ');
  const message =
    `the segment ${label} is the trigger of ${keys.length === 1 ? 'the sequence' : 'the sequences'} ${named}: ` +
    `before it is ${done}, take the trigger out of ${keys.length === 1 ? 'it, or archive it' : 'them, or archive them'}`;
  throw new Refusal('segment_in_use', message, { body: { sequences: keys } });
}
