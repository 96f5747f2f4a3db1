import { type LocalActivityOptions, proxyLocalActivities } from '@temporalio/workflow';
import { type AboutInput, LOCAL_TYPES } from './contracts.ts';

/** Local activities under the types that the run began with: those of its history have to stay what they are. */
export function localActivities<Activities extends object>(
  { types }: Pick<AboutInput, 'types'>,
  options: LocalActivityOptions,
): ReturnType<typeof proxyLocalActivities<Activities>> {
  const local = proxyLocalActivities<Activities>(options);
  if (types !== 'in words') return local;
  return new Proxy(local, { get: (target, name) => Reflect.get(target, Reflect.get(LOCAL_TYPES, name) ?? name) });
}
