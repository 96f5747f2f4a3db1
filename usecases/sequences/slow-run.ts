import { recordOutcome } from '../../db/queries/sequences/enrollment-steps.ts';
import type { LastStep } from '../../db/queries/sequences/locked-enrollment.ts';
import { roundPace, slowEnrollment } from '../../db/queries/sequences/step-holds.ts';
import { watchedConditions } from '../../domain/sequences/conditions-of.ts';
import type { SequenceNode } from '../../domain/sequences/kinds/node-kinds.ts';
import { isTooFast, MOST_STEPS_A_MINUTE, mayBeTooFast, RESTED, restUntil } from '../../domain/sequences/pace.ts';
import type { EnrollmentCommand } from '../../workflows/contracts.ts';
import type { LockedRun } from './locked-run.ts';

/**
 * A run that goes round in a loop faster than anybody means to takes the workers' time from others, and never ends: once it has taken too many
 * steps within a minute it stays for a minute at each node of the loop that takes time. undefined: it goes on at once.
 */
export async function restBeforePass(run: LockedRun, node: SequenceNode, last: LastStep): Promise<EnrollmentCommand | undefined> {
  const { tx, enrollment, graph, context, advance, reported } = run;
  const { now, report } = advance;
  const isRested = report?.step === last.step && report.outcome === RESTED;
  if (isRested) return undefined;
  const until = restUntil({ arrivedAt: last.at, now });
  if (!until || !(await isToRest(run, last))) return undefined;
  if (reported) await recordOutcome(tx, enrollment.id, reported);
  await slowEnrollment(tx, enrollment.id, { until, now });
  const turnsInMs = await context.turnsInMs(watchedConditions(graph, []));
  return {
    do: 'wait',
    ...{ step: last.step, nodeId: node.id, ...(turnsInMs === undefined ? {} : { turnsInMs }) },
    waitingFor: `its next pass: more than ${MOST_STEPS_A_MINUTE} steps within a minute slowed it to one pass a minute`,
    until: until.getTime(),
    timeoutOutcome: RESTED,
  };
}

async function isToRest({ tx, enrollment, advance: { now } }: LockedRun, last: LastStep): Promise<boolean> {
  const { step, node_id: nodeId, many_steps_ago: manyStepsAgo } = last;
  if (!enrollment.slowed_at && !mayBeTooFast({ manyStepsAgo, now })) return false;
  const { cameByItself, lateMs } = await roundPace(tx, enrollment.id, { nodeId, step, now });
  return cameByItself && (enrollment.slowed_at !== null || isTooFast({ manyStepsAgo, now }, lateMs));
}
