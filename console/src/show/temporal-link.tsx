import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useSession } from '../session/session.tsx';

/** Leads to a workflow in Temporal Web; nothing where the API does not know its address, or there is no such workflow. */
export function TemporalLink({ workflowId }: { readonly workflowId: string | null }): ReactNode {
  const { temporal_web: temporalWeb } = useSession();
  if (!temporalWeb || workflowId === null) return null;
  return (
    <Button
      component="a"
      variant="default"
      href={`${temporalWeb}/${encodeURIComponent(workflowId)}`}
      target="_blank"
      rel="noreferrer"
      leftSection={<IconExternalLink size={14} />}
    >
      Temporal Web
    </Button>
  );
}
