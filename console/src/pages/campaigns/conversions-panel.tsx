import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { asFailure } from '../../api/failure.ts';
import { problemAt } from '../../api/issues.ts';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { durationWords } from '../../show/duration-words.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { useFocusReturn } from '../../show/focus-return.ts';
import { percent } from '../../show/percent.ts';
import { Time } from '../../show/time.tsx';
import { CAMPAIGNS, type Campaign, type CampaignResults, changeGoal } from './campaign-queries.ts';
import { draftOfGoal, goalOf, sumWords } from './goal-draft.ts';
import { GoalFields } from './goal-fields.tsx';

interface Given {
  readonly campaign: Campaign;
  readonly conversions: CampaignResults['conversions'];
}

/** How many did what the campaign is for, and what that came to. */
export function ConversionsPanel({ campaign, conversions }: Given): ReactNode {
  const { may } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const mayChange = may('PATCH /campaigns/{id}');
  if (!conversions && !mayChange) return null;
  const button = mayChange ? (
    <Button variant="default" size="xs" onClick={() => setIsOpen(true)}>
      {conversions ? 'Change goal…' : 'Choose a goal…'}
    </Button>
  ) : null;
  return (
    <Panel title="Conversions" action={button}>
      {conversions ? (
        <Counted campaign={campaign} conversions={conversions} />
      ) : (
        <Text size="sm" c="dimmed">
          Set a goal, such as an order, to count who reaches it after the email. You can set it at any time.
        </Text>
      )}
      {mayChange ? <GoalDialog campaign={campaign} opened={isOpen} onClose={() => setIsOpen(false)} /> : null}
    </Panel>
  );
}

interface CountedGiven extends Omit<Given, 'conversions'> {
  readonly conversions: NonNullable<Given['conversions']>;
}

function Counted({ campaign, conversions }: CountedGiven): ReactNode {
  const { goal, as_of, complete, people, events, sum, not_summed } = conversions;
  const notSummed = not_summed ? `, ${not_summed.toLocaleString('en')} without a number left out` : '';
  return (
    <Stack gap="xs">
      <Text size="sm">
        Recipients with <b>{goal.event}</b> within {durationWords(goal.withinHours * 60)} of their email
      </Text>
      {as_of === null ? (
        <Text size="sm" c="dimmed" role="status">
          Counting. This takes about a minute.
        </Text>
      ) : (
        <Facts>
          <Fact name="People">
            {people.toLocaleString('en')} ({percent(people, campaign.sent_count)} of those sent)
          </Fact>
          <Fact name="Events">{events.toLocaleString('en')}</Fact>
          {goal.sum === null || sum === null ? null : (
            <Fact name={`Sum of ${goal.sum}`}>
              {sumWords(sum)}
              {notSummed}
            </Fact>
          )}
          <Fact name="Counted">
            <Time at={as_of} />
          </Fact>
        </Facts>
      )}
      {complete ? null : (
        <Text size="sm" c="dimmed">
          Events are kept for 90 days: some that would count were gone when this was counted.
        </Text>
      )}
    </Stack>
  );
}

interface DialogGiven {
  readonly campaign: Campaign;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function GoalDialog({ opened, ...given }: DialogGiven): ReactNode {
  const returnFocus = useFocusReturn(opened);
  return (
    <Modal opened={opened} onClose={given.onClose} onExitTransitionEnd={returnFocus} title="Goal of this campaign" size="lg">
      <GoalForm {...given} />
    </Modal>
  );
}

function GoalForm({ campaign, onClose }: Omit<DialogGiven, 'opened'>): ReactNode {
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOfGoal(campaign.goal));
  const goal = goalOf(draft);
  const change = useMutation({
    mutationFn: () => changeGoal(campaign.id, goal),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: CAMPAIGNS }),
  });
  const issues = change.error ? (asFailure(change.error).details.issues ?? []) : [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (goal !== undefined) change.mutate();
      }}
    >
      <Stack gap="md">
        {change.error ? <FailureNotice error={change.error} /> : null}
        <Text size="sm" c="dimmed">
          A goal sends nothing. It only counts what people do after the email, including emails already sent.
        </Text>
        <GoalFields goal={draft} problemOf={(path) => problemAt(issues, path)} onChange={(part) => setDraft({ ...draft, ...part })} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save goal
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
