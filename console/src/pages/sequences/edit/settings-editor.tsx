import { Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { LONGEST_NAME } from '../../../api/limits.ts';
import { choicesOf } from '../../../frame/choices.ts';
import { Panel } from '../../../frame/detail.tsx';
import { DurationInput } from './duration-input.tsx';
import { FaultsBeside, useFault } from './faults.tsx';
import { FrequencyCapEditor } from './frequency-cap-editor.tsx';
import { GoalEditor } from './goal-editor.tsx';
import type { GraphDraft } from './graph-draft.ts';
import { SendWindowEditor } from './send-window-editor.tsx';
import { TriggersEditor } from './triggers-editor.tsx';

interface Given {
  readonly draft: GraphDraft;
  readonly onChange: (draft: GraphDraft, what: string) => void;
}

const REENTRY: Readonly<Record<GraphDraft['reentry'], string>> = {
  once_ever: 'Once only',
  once_active: 'After their run has ended',
  always: 'Always',
};

/** What has an input here, or in the editors within. */
const FIELDS = ['name', 'cooldownHours', 'triggers', 'goal', 'frequencyCap', 'sendWindow'];

/** All that is set of a sequence beside its steps: its name, who enters it, what ends it early, and how much mail it may send. */
export function SettingsEditor({ draft, onChange }: Given): ReactNode {
  const { name, reentry, cooldownHours, triggers, goal, frequencyCap, sendWindow } = draft;
  const [nameFault, cooldownFault] = [useFault('name'), useFault('cooldownHours')];
  return (
    <>
      <Panel title="Sequence">
        <Stack gap="sm">
          <FaultsBeside fields={FIELDS} />
          <TextInput
            label="Name"
            size="xs"
            maxLength={LONGEST_NAME}
            value={name}
            error={nameFault}
            onChange={(event) => onChange({ ...draft, name: event.currentTarget.value }, 'name')}
          />
          <Select
            label="Re-entry"
            size="xs"
            allowDeselect={false}
            data={choicesOf(REENTRY)}
            value={reentry}
            onChange={(value) => onChange({ ...draft, reentry: value as GraphDraft['reentry'] }, 'reentry')}
          />
          {reentry === 'once_ever' ? null : (
            <DurationInput
              label="Minimum time between runs"
              placeholder="None"
              usual="1440"
              error={cooldownFault}
              minutes={cooldownHours ? cooldownHours * 60 : undefined}
              onChange={(minutes) => onChange({ ...draft, cooldownHours: minutes ? minutes / 60 : null }, 'cooldown')}
            />
          )}
        </Stack>
      </Panel>
      <Panel title="Entered by">
        <TriggersEditor triggers={triggers} reentry={reentry} onChange={(next) => onChange({ ...draft, triggers: next }, 'triggers')} />
      </Panel>
      <Panel title="Goal">
        <GoalEditor goal={goal} onChange={(next) => onChange({ ...draft, goal: next }, 'goal')} />
      </Panel>
      <Panel title="Send window">
        <SendWindowEditor choice={sendWindow} onChange={(next) => onChange(withWindow(draft, next), 'window')} />
      </Panel>
      <Panel title="Frequency cap">
        <FrequencyCapEditor cap={frequencyCap} onChange={(next) => onChange({ ...draft, frequencyCap: next }, 'cap')} />
      </Panel>
    </>
  );
}

/** Without one the field is absent: as the API answers it. */
function withWindow({ sendWindow: _, ...others }: GraphDraft, sendWindow: GraphDraft['sendWindow']): GraphDraft {
  return sendWindow ? { ...others, sendWindow } : others;
}
