import type { EnrollmentActivities } from '../activities/enrollment.ts';
import { localActivities } from './activities.ts';
import type { EnrollmentCommand, EnrollmentInput } from './contracts.ts';
import { call } from './enrollment/call.ts';
import { type Command, type Performed, Run, STEP_ACTIVITY } from './enrollment/run.ts';
import { send } from './enrollment/send.ts';
import { wait } from './enrollment/wait.ts';
import { settlingCancellation } from './settling-cancellation.ts';

/**
 * One contact's run through one sequence: ask what comes next, do it, report how it went, until it ends. Many are started with what they do
 * first. Answers with a sentence for operators.
 */
export async function enrollment(input: EnrollmentInput): Promise<string> {
  const run = new Run(input);
  const { endCancelled } = localActivities<EnrollmentActivities>(input, STEP_ACTIVITY);
  return settlingCancellation(
    async () => {
      for (let performed: Performed = input.first ? { next: input.first } : {}; ; ) {
        const { report, next, seen = run.changes.count } = performed;
        if (report) run.failedSteps.note(run.at, report);
        const command = next ?? (await run.next(report));
        if (command.do === 'end') return end(run, command);
        run.at = command.nodeId;
        await run.continueIfLong();
        performed = await perform(run, command, seen);
      }
    },
    () => endCancelled({ enrollmentId: input.enrollmentId }),
  );
}

function perform(run: Run, command: Exclude<EnrollmentCommand, { do: 'end' }>, seen: number): Promise<Performed> {
  switch (command.do) {
    case 'send':
      return send(run, command);
    case 'wait':
      return wait(run, command, seen);
    case 'call':
      return call(run, command, seen);
    default:
      return command satisfies never;
  }
}

function end(run: Run, { reason, status, detail }: Command<'end'>): string {
  if (detail !== undefined) run.failedSteps.note(run.at, { outcome: 'failed', detail });
  const how = status === undefined ? reason : `${status}: ${reason}`;
  const isFailed = reason === 'failed' && run.input.types === 'in words';
  run.show(isFailed ? 'failed' : 'running', run.at, `Ended, ${how}`);
  return [how, ...run.failedSteps.all].join('; ');
}
