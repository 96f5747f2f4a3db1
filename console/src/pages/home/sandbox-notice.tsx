import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../../session/session.tsx';

/** What nobody should have to guess: where the project's mails go, or those of this key. */
export function SandboxNotice(): ReactNode {
  const { project, key } = useSession();
  if (project.sandbox) {
    return (
      <Alert color="yellow" title="Sandbox: nothing is delivered">
        Emails of this project are made like any other and kept here. An operator lets them go with `project set {project.slug} --sandbox
        off`.
      </Alert>
    );
  }
  if (!key.is_test) return null;
  return (
    <Alert color="yellow" title="Signed in with a test key">
      Nothing you send with it is delivered, and it changes nothing else in this project.
    </Alert>
  );
}
