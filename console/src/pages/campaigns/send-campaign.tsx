import { Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useRef } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { randomKey } from '../../api/random-key.ts';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { exactTime } from '../../show/time.tsx';
import { recipientWords } from './audience-count.tsx';
import { type CampaignDraft, scheduleOf } from './campaign-draft.ts';
import { CAMPAIGNS, campaignMadeQuery, campaignQuery } from './campaign-queries.ts';
import type { DraftSaving } from './draft-saving.ts';
import { LaunchRecap } from './launch-recap.tsx';
import { spanWords } from './local-start.ts';
import type { Writing } from './writing.ts';

interface Given {
  readonly writing: Writing;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks before the draft is sent or scheduled. The number that it says is the number that goes: with another one nothing does. */
export function SendCampaign({ writing, opened, onClose }: Given): ReactNode {
  const { saving, change, draft } = writing;
  const isNow = draft.start === 'now';
  const name = change.name ? `“${change.name}”` : 'this campaign';
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const keyOf = useIdempotencyKey();
  const counted = useCounted(saving, opened);
  const send = useMutation({
    async mutationFn() {
      const { campaign, draft } = await saving.flush();
      const { enrolled } = counted.data ?? {};
      const params = {
        path: { id: campaign.id },
        query: { ifVersion: draft?.version ?? 0 },
        header: { 'Idempotency-Key': keyOf(`${campaign.id} ${draft?.version} ${enrolled}`) },
      };
      const ifEnrolled = enrolled === undefined ? {} : { ifEnrolled: enrolled };
      return answerOf(api.POST('/campaigns/{id}/launch', { params, body: ifEnrolled }));
    },
    onSuccess: async ({ campaignId, audienceSize, enrolled, status }) => {
      const whom = `${enrolled.toLocaleString('en')} of ${audienceSize.toLocaleString('en')} contacts`;
      notifyDone(status === 'scheduled' ? `Scheduled for ${whom}` : `Sending to ${whom}`);
      saving.forget();
      for (const { queryKey } of [campaignQuery(campaignId), campaignMadeQuery(campaignId)]) queries.removeQueries({ queryKey });
      navigate(`/${campaignId}`, { replace: true });
      await queries.invalidateQueries({ queryKey: CAMPAIGNS });
    },
    onError(error) {
      const { issues = [], code } = asFailure(error).details;
      writing.refuse(issues);
      if (code === 'audience_changed') void counted.refetch();
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={isNow ? `Send ${name} now?` : `Schedule ${name}?`}
      action={isNow ? 'Send now' : 'Schedule'}
      mutation={{ ...send, isPending: send.isPending || counted.isFetching }}
    >
      <LaunchRecap writing={writing} recipients={counted.data?.enrolled} />
      <Text size="sm" fw={600} role="status" mb="xs">
        {counted.data
          ? `${counted.data.enrolled.toLocaleString('en')} ${recipientWords(counted.data, change.topic ?? null)}`
          : counted.isFetching
            ? 'Counting recipients'
            : ''}
      </Text>
      <Text size="sm">{startWords(draft)}</Text>
    </Confirm>
  );
}

/** When it starts, and what can be done about it then. */
function startWords(draft: CampaignDraft): string {
  const schedule = scheduleOf(draft);
  if (schedule) return `${spanWords(schedule, draft.endsAt)} The audience is counted when it begins.`;
  return draft.start === 'later' && draft.startsAt
    ? `It starts ${exactTime(draft.startsAt)}. The audience is counted then.`
    : 'Sending starts right away. Emails already sent cannot be recalled; you can pause or cancel the rest.';
}

/** Who would get it, as it is kept once all is. What is wrong with it is said when it is sent. */
function useCounted(saving: DraftSaving, opened: boolean) {
  // Of one form: a draft has no id of its own before it is kept.
  const id = useId();
  return useQuery({
    queryKey: ['campaign at launch', id],
    async queryFn() {
      const { campaign } = await saving.flush();
      return answerOf(api.GET('/campaigns/{id}/audience', { params: { path: { id: campaign.id } } }));
    },
    enabled: opened,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
}

/** A key that stays the same as long as what is asked for does: a second try after a lost answer has the answer of the first. */
function useIdempotencyKey(): (asked: string) => string {
  const last = useRef({ asked: '', key: '' });
  return (asked) => {
    if (last.current.asked !== asked) last.current = { asked, key: randomKey() };
    return last.current.key;
  };
}
