import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { exactTime } from '../../show/time.tsx';
import { CAMPAIGNS, type CampaignInput } from './campaign-queries.ts';

interface Given {
  readonly body: CampaignInput;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onSent: () => void;
}

/** Asks before the campaign is sent or scheduled. */
export function SendCampaign({ body, opened, onClose, onSent }: Given): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const keyOf = useIdempotencyKey();
  const send = useMutation({
    mutationFn: () => answerOf(api.POST('/campaigns', { params: { header: { 'Idempotency-Key': keyOf(body) } }, body })),
    onSuccess: async ({ campaignId, audienceSize, enrolled, status }) => {
      onSent();
      const whom = `${enrolled.toLocaleString('en')} of ${audienceSize.toLocaleString('en')} who match`;
      notifyDone(status === 'scheduled' ? `Scheduled for ${whom}` : `On its way to ${whom}`);
      navigate(`/${campaignId}`, { replace: true });
      await queries.invalidateQueries({ queryKey: CAMPAIGNS });
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={body.scheduleAt ? 'Schedule this campaign?' : 'Send this campaign now?'}
      action={body.scheduleAt ? 'Schedule' : 'Send now'}
      mutation={send}
    >
      <Text size="sm">
        {body.scheduleAt
          ? `It begins ${exactTime(body.scheduleAt)}. Who is in the audience is found then.`
          : 'The first mails go out at once. What has gone out cannot be recalled; the rest can be paused and cancelled.'}
      </Text>
    </Confirm>
  );
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

/** crypto.randomUUID() is there on https and localhost only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
