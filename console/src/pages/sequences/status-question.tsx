import { Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { LackingData } from './lacking-data-notice.tsx';
import { OffTemplates } from './off-templates.tsx';
import { SEQUENCES, type SequenceGraph, type SequenceStatus, warningsQuery } from './sequence-queries.ts';

/** Asked before the status of a sequence is changed. */
export interface StatusChange {
  readonly to: SequenceStatus;
  readonly title: string;
  readonly action: string;
  readonly text: string;
  readonly done: string;
  readonly isFinal?: boolean;
}

const PAUSE: StatusChange = {
  to: 'paused',
  title: 'Pause',
  action: 'Pause',
  text: 'No one new enters, and runs pause before their next email until you resume. Waits continue.',
  done: 'paused',
};
const ACTIVATE: StatusChange = {
  to: 'active',
  title: 'Activate',
  action: 'Activate',
  text: 'From now on contacts enter by its triggers.',
  done: 'activated',
};
/** Where no event is a trigger. */
const ACTIVATE_UNENTERED = 'It has no trigger: contacts are enrolled here or by the API.';
const RESUME: StatusChange = {
  to: 'active',
  title: 'Resume',
  action: 'Resume',
  text: 'Paused runs continue, and contacts can enter again.',
  done: 'resumed',
};
export const ARCHIVE: StatusChange = {
  to: 'archived',
  title: 'Archive',
  action: 'Archive',
  text: 'All its runs end and nothing more is sent. You can turn it back into a draft later, but ended runs stay ended.',
  done: 'archived',
  isFinal: true,
};
const DRAFT: StatusChange = {
  to: 'draft',
  title: 'Turn into a draft:',
  action: 'Turn into draft',
  text: 'You can then edit and activate it again. Ended runs stay ended.',
  done: 'is now a draft',
};

/** What is done with a sequence of this status first of all. */
export const MAIN: Readonly<Record<SequenceStatus, StatusChange>> = { active: PAUSE, paused: RESUME, draft: ACTIVATE, archived: DRAFT };

function isEntered({ triggers }: SequenceGraph): boolean {
  return triggers.some(({ enabled }) => enabled);
}

interface Given {
  readonly graph: SequenceGraph;
  readonly change: StatusChange;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks before it changes the status of a sequence, and says what would keep it from mailing. */
export function StatusQuestion({ graph, change, opened, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: () => answerOf(api.PATCH('/sequences/{key}', { params: { path: { key: graph.key } }, body: { status: change.to } })),
    onSuccess: async ({ warnings = [] }) => {
      onClose();
      queries.setQueryData(warningsQuery(graph.key).queryKey, warnings);
      notifyDone(`${graph.name} ${change.done}`);
      await queries.invalidateQueries({ queryKey: SEQUENCES });
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`${change.title} ${graph.name}?`}
      action={change.action}
      isFinal={change.isFinal ?? false}
      mutation={changing}
    >
      <Stack gap="sm">
        <Text size="sm">{change === ACTIVATE && !isEntered(graph) ? ACTIVATE_UNENTERED : change.text}</Text>
        {change.to === 'active' ? (
          <>
            <OffTemplates graph={graph} />
            <LackingData graph={graph} />
          </>
        ) : null}
      </Stack>
    </Confirm>
  );
}
