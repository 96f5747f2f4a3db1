import { NumberInput, SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { IN_OWN_ZONE } from '../../frame/local-time.ts';
import { type CampaignDraft, endProblem, type ProblemOf, rateProblem, startProblem } from './campaign-draft.ts';

interface Given {
  readonly draft: CampaignDraft;
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<CampaignDraft>) => void;
}

/** When it goes out, and how fast. */
export function ScheduleEditor({ draft, problemOf, onChange }: Given): ReactNode {
  return (
    <Panel title="Schedule">
      <Stack gap="sm">
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label="Start"
          data={[
            { value: 'now', label: 'Now' },
            { value: 'later', label: 'Later' },
          ]}
          value={draft.startsLater ? 'later' : 'now'}
          onChange={(start) => onChange({ startsLater: start === 'later' })}
        />
        <SimpleGrid cols={{ base: 1, sm: draft.startsLater ? 3 : 2 }} spacing="sm">
          {draft.startsLater ? (
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
          <NumberInput
            label="Throttle"
            description="Emails per second"
            placeholder="No limit"
            clampBehavior="none"
            value={draft.ratePerSecond ?? ''}
            error={rateProblem(draft) ?? problemOf('ratePerSecond')}
            onChange={(rate) => onChange({ ratePerSecond: typeof rate === 'number' ? rate : null })}
          />
        </SimpleGrid>
      </Stack>
    </Panel>
  );
}
