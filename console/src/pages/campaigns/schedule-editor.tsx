import { SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { IN_OWN_ZONE } from '../../frame/local-time.ts';
import { WindowChoiceFields } from '../../frame/send-window-fields.tsx';
import { useSession } from '../../session/session.tsx';
import { type CampaignDraft, endProblem, faultsOfWindow, type ProblemOf, startProblem } from './campaign-draft.ts';
import { LocalStartFields } from './local-start-fields.tsx';
import { ThrottleInput } from './throttle-input.tsx';

const STARTS: Readonly<Record<CampaignDraft['start'], string>> = { now: 'Now', later: 'Later', local: "Recipient's local time" };

interface Given {
  readonly draft: CampaignDraft;
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<CampaignDraft>) => void;
}

/** When it goes out, and how fast. */
export function ScheduleEditor({ draft, problemOf, onChange }: Given): ReactNode {
  const isLater = draft.start === 'later';
  const { project } = useSession();
  const faults = faultsOfWindow(draft);
  return (
    <Panel title="Schedule">
      <Stack gap="sm">
        <SegmentedControl
          size="xs"
          w="fit-content"
          maw="100%"
          aria-label="Start"
          data={choicesOf(STARTS)}
          value={draft.start}
          onChange={(start) => onChange({ start: start as CampaignDraft['start'] })}
        />
        {draft.start === 'local' ? (
          <LocalStartFields start={draft} endsAt={draft.endsAt} problemOf={problemOf} onChange={onChange} />
        ) : null}
        <SimpleGrid cols={{ base: 1, sm: isLater ? 3 : 2 }} spacing="sm">
          {isLater ? (
            <TextInput
              label="Start date"
              type="datetime-local"
              description={IN_OWN_ZONE}
              value={draft.startsAt}
              required
              error={startProblem(draft) ?? problemOf('scheduleAt')}
              onChange={(event) => onChange({ startsAt: event.currentTarget.value })}
            />
          ) : null}
          <TextInput
            label="End date"
            type="datetime-local"
            description="Anyone not reached by then does not get it"
            value={draft.endsAt}
            error={endProblem(draft) ?? problemOf('endsAt')}
            onChange={(event) => onChange({ endsAt: event.currentTarget.value })}
          />
          <ThrottleInput draft={draft} problemOf={problemOf} onChange={onChange} />
        </SimpleGrid>
        <WindowChoiceFields
          choice={draft.sendWindow}
          ofProject={project.send_window}
          errorOf={(name) => faults[name] ?? problemOf(`sendWindow.${name}`)}
          onChange={(sendWindow) => onChange({ sendWindow })}
        />
      </Stack>
    </Panel>
  );
}
