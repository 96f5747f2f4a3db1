import { gatheredAt } from '../../db/queries/sequences/digests.ts';
import type { LastStep } from '../../db/queries/sequences/locked-enrollment.ts';
import { awaitedSubflow } from '../../db/queries/sequences/subflows.ts';
import { watchedConditions } from '../../domain/sequences/conditions-of.ts';
import { taskAt } from '../../domain/sequences/interpret.ts';
import type { SequenceNode } from '../../domain/sequences/kinds/node-kinds.ts';
import { shownAddress, shownWords } from '../../domain/shown-text.ts';
import { type EnrollmentCommand, enrollmentWorkflowId } from '../../workflows/contracts.ts';
import type { LockedRun } from './locked-run.ts';

/** The command that belongs to a visit without outcome; a wait keeps the instant that it was given on arrival. */
export async function commandAt(
  { tx, enrollment, graph, context, advance: { firstRetrySeconds } }: LockedRun,
  node: SequenceNode,
  { step, until }: Pick<LastStep, 'step' | 'until'>,
): Promise<EnrollmentCommand> {
  const task = taskAt(node);
  const turnsInMs = await context.turnsInMs(watchedConditions(graph, [task]));
  const at = { step, nodeId: node.id, ...(turnsInMs === undefined ? {} : { turnsInMs }) };
  switch (task.does) {
    case 'send':
      return { do: 'send', ...at, template: task.template };
    case 'call':
      return { do: 'call', ...at, method: task.method, ...shownAddress(task.url), firstRetrySeconds };
    case 'wait': {
      const { waitingFor, endedBy, timeoutOutcome } = task;
      const isSubflow = endedBy !== null && 'sequenceKey' in endedBy;
      const gathered = node.kind === 'digest' ? await gatheredAt(tx, { enrollmentId: enrollment.id, step }) : undefined;
      const shown =
        gathered === undefined ? shownWords(isSubflow ? `${waitingFor} ${endedBy.sequenceKey}` : waitingFor) : digestWords(gathered);
      const child = isSubflow ? await awaitedSubflow(tx, enrollment.id, step) : undefined;
      return {
        do: 'wait',
        ...at,
        waitingFor: child ? `${shown} (${enrollmentWorkflowId(child)})` : shown,
        until: until?.getTime() ?? null,
        timeoutOutcome,
      };
    }
    default:
      return task satisfies never;
  }
}

/** For operators. Events gather without waking the run. */
function digestWords(gathered: number): string {
  return `more events, ${gathered} gathered when it last looked`;
}
