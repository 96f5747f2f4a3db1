import type { ReactNode } from 'react';
import { useSession } from '../../session/session.tsx';
import { Download } from '../../show/download.tsx';

interface Given {
  readonly id: string;
  /** Of these alone; all of its people when omitted, whose emails the key has to be allowed to read. */
  readonly outcome?: 'left_out';
}

/** A campaign's people as a file, each with what became of it. Nothing to a key that may not read them. */
export function ExportPeople({ id, outcome }: Given): ReactNode {
  const { may } = useSession();
  if (!may('GET /campaigns/{id}/people/export') || (!outcome && !may('GET /sends/export'))) return null;
  return (
    <Download path={`/campaigns/${id}/people/export`} query={{ outcome }}>
      Export people (CSV)
    </Download>
  );
}
