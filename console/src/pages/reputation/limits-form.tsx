import { NumberInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';

interface Given {
  readonly limits: Schemas['CampaignLimits'];
  readonly onClose: () => void;
}

/** The limits in percent, in a dialog; an empty field is none. */
export function LimitsForm({ limits, onClose }: Given): ReactNode {
  const { readAgain } = useSession();
  const [first] = useState({ bounces: inPercent(limits.bounce_rate), complaints: inPercent(limits.complaint_rate) });
  const [draft, setDraft] = useState(first);
  const isChanged = draft.bounces !== first.bounces || draft.complaints !== first.complaints;
  const save = useMutation({
    mutationFn: () => {
      const campaignLimits = { bounceRate: asShare(draft.bounces), complaintRate: asShare(draft.complaints) };
      return answerOf(api.PATCH('/project', { body: { campaignLimits } }));
    },
    onSuccess: async () => {
      await readAgain();
      onClose();
      notifyDone('Limits saved');
    },
  });
  const { props, errorOf, close } = useForm({
    faults: { 'campaignLimits.bounceRate': faultOf(draft.bounces), 'campaignLimits.complaintRate': faultOf(draft.complaints) },
    error: save.error,
    isPending: save.isPending,
    isUnsaved: isChanged && !save.isSuccess,
    onSubmit: save.mutate,
  });
  const shared = { suffix: ' %', decimalScale: 3, hideControls: true, inputMode: 'decimal', placeholder: 'No limit' } as const;
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          A campaign pauses by itself once a larger share of its emails has bounced or was reported as spam, after the first 100. You decide
          whether it goes on.
        </Text>
        <NumberInput
          {...shared}
          label="Bounces"
          description="Often 5 %. Leave it empty for no limit"
          data-autofocus
          value={draft.bounces}
          error={errorOf('campaignLimits.bounceRate')}
          onChange={(bounces) => setDraft({ ...draft, bounces })}
        />
        <NumberInput
          {...shared}
          label="Complaints"
          description="Often 0.3 %. Leave it empty for no limit"
          value={draft.complaints}
          error={errorOf('campaignLimits.complaintRate')}
          onChange={(complaints) => setDraft({ ...draft, complaints })}
        />
        {save.error ? <FailureNotice error={save.error} /> : null}
        <FormEnd action="Save" isPending={save.isPending} disabled={!isChanged} onCancel={close} />
      </Stack>
    </form>
  );
}

/** To three digits, as they can be typed. */
function inPercent(share: number | null): number | string {
  return share === null ? '' : Number((100 * share).toFixed(3));
}

function asShare(percent: number | string): number | null {
  return percent === '' ? null : Number((Number(percent) / 100).toFixed(5));
}

function faultOf(percent: number | string): string | undefined {
  if (percent === '') return undefined;
  const value = Number(percent);
  return value > 0 && value <= 100 ? undefined : 'Enter more than 0 and at most 100';
}
