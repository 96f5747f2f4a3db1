import { Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useRef } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure, type Issue } from '../../api/failure.ts';
import { randomKey } from '../../api/random-key.ts';
import { Fact, Facts } from '../../frame/detail.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { exactTime } from '../../show/time.tsx';
import { fieldWords } from '../templates/data-fields.tsx';
import { recipientWords } from './audience-count.tsx';
import { useAudienceWords } from './audience-name.tsx';
import { CAMPAIGNS, type CampaignInput, campaignMadeQuery, campaignQuery } from './campaign-queries.ts';
import classes from './campaigns.module.css';
import type { DraftSaving } from './draft-saving.ts';

interface Given {
  /** undefined: it is for people whose addresses are not known here. */
  readonly body: CampaignInput | undefined;
  /** undefined: at once. */
  readonly scheduleAt: string | undefined;
  readonly saving: DraftSaving;
  /** What the template takes and nothing is given for. */
  readonly empty: readonly string[];
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Told what is wrong, to be shown where it is mended. */
  readonly onRefused: (issues: readonly Issue[]) => void;
}

/** Asks before the draft is sent or scheduled. The number that it says is the number that goes: with another one nothing does. */
export function SendCampaign({ body, scheduleAt: later, saving, empty, opened, onClose, onRefused }: Given): ReactNode {
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
      onRefused(issues);
      if (code === 'audience_changed') void counted.refetch();
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={later ? 'Schedule this campaign?' : 'Send this campaign now?'}
      action={later ? 'Schedule' : 'Send now'}
      mutation={{ ...send, isPending: send.isPending || counted.isFetching }}
    >
      {body ? <Recap body={body} empty={empty} /> : null}
      <Text size="sm" fw={600} role="status" mb="xs">
        {counted.data
          ? `${counted.data.enrolled.toLocaleString('en')} ${recipientWords(counted.data)}`
          : counted.isFetching
            ? 'Counting recipients'
            : ''}
      </Text>
      <Text size="sm">
        {later
          ? `It starts ${exactTime(later)}. The audience is counted then.`
          : 'Sending starts right away. Emails already sent cannot be recalled; you can pause or cancel the rest.'}
      </Text>
    </Confirm>
  );
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

function Recap({ body, empty }: { readonly body: CampaignInput; readonly empty: readonly string[] }): ReactNode {
  const wordsOf = useAudienceWords();
  return (
    <div className={classes.recap}>
      <Facts>
        <Fact name="Email">{body.template}</Fact>
        <Fact name={body.variants ? 'Subjects' : 'Subject'}>{subjectsOf(body)}</Fact>
        <Fact name="For">{wordsOf(body.audience)}</Fact>
        {empty.length > 0 ? <Fact name="Left empty">{empty.map(fieldWords).join('; ')}</Fact> : null}
        {body.ratePerSecond ? <Fact name="Throttle">{body.ratePerSecond.toLocaleString('en')} per second</Fact> : null}
        {body.endsAt ? <Fact name="End date">{exactTime(body.endsAt)}</Fact> : null}
      </Facts>
    </div>
  );
}

function subjectsOf({ subject, variants }: CampaignInput): string {
  const own = subject ?? "the template's subject";
  return variants ? variants.map((one) => `${one.key}: ${one.subject ?? own}`).join('; ') : own;
}

/** A key that stays the same as long as what is asked for does: a second try after a lost answer has the answer of the first. */
function useIdempotencyKey(): (asked: string) => string {
  const last = useRef({ asked: '', key: '' });
  return (asked) => {
    if (last.current.asked !== asked) last.current = { asked, key: randomKey() };
    return last.current.key;
  };
}
