import { type ActivityOptions, type LocalActivityOptions, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { type AboutInput, ACTIVITY_TYPES } from './contracts.ts';

type Run = Pick<AboutInput, 'types'>;

/** Those that go within the workflow task, under the types that the run began with. */
export function localActivities<Activities extends object>(
  run: Run,
  options: LocalActivityOptions,
): ReturnType<typeof proxyLocalActivities<Activities>> {
  return asBegun(run, proxyLocalActivities<Activities>(options));
}

/** Those that go through a task queue, likewise. */
export function queuedActivities<Activities extends object>(
  run: Run,
  options: ActivityOptions,
): ReturnType<typeof proxyActivities<Activities>> {
  return asBegun(run, proxyActivities<Activities>(options));
}

/** The types in the history of a run have to stay what they are. */
function asBegun<Proxied extends object>({ types }: Run, activities: Proxied): Proxied {
  if (types !== 'in words') return activities;
  return new Proxy(activities, { get: (target, name) => Reflect.get(target, Reflect.get(ACTIVITY_TYPES, name) ?? name) });
}
