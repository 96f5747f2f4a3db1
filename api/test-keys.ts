import { Refusal } from '../domain/errors.ts';
import type { KeyContext, Route } from './route.ts';

/** What a change of a live project leads to may be a mail that leaves, such as one of a run that goes on. docs/contract/identity.md 13. */
export function takesTestKey(route: Route, project: KeyContext['project']): boolean {
  return route.method === 'get' || route.takesTestKeys === true || project.sandbox;
}

export function noTestKey(): Refusal {
  return new Refusal(
    'forbidden',
    'a test key (ep_test_…) reads, previews, simulates, and asks for emails and runs that never leave; it changes nothing of a live project. ' +
      'Take an ep_live_… key, or a project that is a sandbox (`project set --sandbox on`)',
  );
}

/**
 * Of a live project a test key changes what test keys have asked for, and nothing else. `isSandboxed`: whether that is so, for good; undefined where
 * there is no such thing. Throws forbidden.
 */
export function demandOwnOfTestKeys(
  { isTestKey, project }: Pick<KeyContext, 'isTestKey' | 'project'>,
  isSandboxed: boolean | undefined,
): void {
  if (isTestKey && !project.sandbox && isSandboxed === false)
    throw new Refusal('forbidden', 'a test key (ep_test_…) can change only what test keys have created');
}
