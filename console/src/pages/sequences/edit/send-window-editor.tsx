import type { ReactNode } from 'react';
import { WindowChoiceFields, windowFaults } from '../../../frame/send-window-fields.tsx';
import { useSession } from '../../../session/session.tsx';
import { FaultAt, useFault } from './faults.tsx';
import type { GraphDraft } from './graph-draft.ts';

interface Given {
  readonly choice: GraphDraft['sendWindow'];
  readonly onChange: (choice: GraphDraft['sendWindow']) => void;
}

/** In which hours the sequence sends. */
export function SendWindowEditor({ choice, onChange }: Given): ReactNode {
  const { project } = useSession();
  const faults: Readonly<Record<string, string | undefined>> = {
    from: useFault('sendWindow.from'),
    to: useFault('sendWindow.to'),
    days: useFault('sendWindow.days'),
    timezone: useFault('sendWindow.timezone'),
    fallback: useFault('sendWindow.fallback'),
  };
  const own = choice && choice !== 'none' ? windowFaults(choice) : {};
  return (
    <>
      <WindowChoiceFields
        choice={choice ?? null}
        ofProject={project.send_window}
        size="xs"
        errorOf={(name) => own[name] ?? faults[name]}
        onChange={(next) => onChange(next ?? undefined)}
      />
      <FaultAt path="sendWindow" />
    </>
  );
}
