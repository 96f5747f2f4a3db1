import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { asFailure, type Issue } from '../../api/failure.ts';
import { randomKey } from '../../api/random-key.ts';
import { Fact, Facts } from '../../frame/detail.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { exactTime } from '../../show/time.tsx';
import type { AudienceSize } from './audience-count.tsx';
import { useAudienceWords } from './audience-name.tsx';
import { CAMPAIGNS, type CampaignInput } from './campaign-queries.ts';
import classes from './campaigns.module.css';

interface Given {
  readonly body: CampaignInput;
  readonly size: AudienceSize;
  /** What the template takes and nothing is given for. */
  readonly empty: readonly string[];
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Told what is wrong, to be shown where it is mended. */
  readonly onRefused: (issues: readonly Issue[]) => void;
}

/** Asks before the campaign is sent or scheduled. */
export function SendCampaign({ body, size, empty, opened, onClose, onRefused }: Given): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const keyOf = useIdempotencyKey();
  const wordsOf = useAudienceWords();
  const send = useMutation({
    mutationFn: () => answerOf(api.POST('/campaigns', { params: { header: { 'Idempotency-Key': keyOf(body) } }, body })),
    onSuccess: async ({ campaignId, audienceSize, enrolled, status }) => {
      const whom = `${enrolled.toLocaleString('en')} of ${audienceSize.toLocaleString('en')} who match`;
      notifyDone(status === 'scheduled' ? `Scheduled for ${whom}` : `On its way to ${whom}`);
      navigate(`/${campaignId}`, { replace: true });
      await queries.invalidateQueries({ queryKey: CAMPAIGNS });
    },
    onError: (error) => onRefused(asFailure(error).details.issues ?? []),
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={body.scheduleAt ? 'Schedule this campaign?' : 'Send this campaign now?'}
      action={body.scheduleAt ? 'Schedule' : 'Send now'}
      mutation={send}
    >
      <div className={classes.recap}>
        <Facts>
          <Fact name="Mail">{body.template}</Fact>
          <Fact name={body.variants ? 'Subjects' : 'Subject'}>{subjectsOf(body)}</Fact>
          <Fact name="For">{wordsOf(body.audience)}</Fact>
          {body.audience.mode === 'people' ? (
            <Fact name="Less">who has unsubscribed, bounced or is suppressed</Fact>
          ) : size.told ? (
            <Fact name="Audience">
              {size.told.count.toLocaleString('en')} {size.told.words}
            </Fact>
          ) : null}
          {empty.length > 0 ? <Fact name="Left empty">{empty.join(', ')}</Fact> : null}
          {body.ratePerSecond ? <Fact name="Rate">at most {body.ratePerSecond.toLocaleString('en')} a second</Fact> : null}
          {body.endsAt ? <Fact name="Ends">{exactTime(body.endsAt)}</Fact> : null}
        </Facts>
      </div>
      <Text size="sm">
        {body.scheduleAt
          ? `It begins ${exactTime(body.scheduleAt)}. Who is in the audience is found then.`
          : 'The first mails go out at once. What has gone out cannot be recalled; the rest can be paused and cancelled.'}
      </Text>
    </Confirm>
  );
}

function subjectsOf({ subject, variants }: CampaignInput): string {
  const own = subject ?? "the template's own";
  return variants ? variants.map((one) => `${one.key}: ${one.subject ?? own}`).join('; ') : own;
}

/** A key that stays the same as long as the body does: a second try after a lost answer makes no second campaign. */
function useIdempotencyKey(): (body: CampaignInput) => string {
  const last = useRef({ body: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.body !== text) last.current = { body: text, key: randomKey() };
    return last.current.key;
  };
}
