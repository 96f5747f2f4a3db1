import { Button, Stack, Text, Textarea } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { isObject } from '../../json.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { SENDS, type SendWithEvents } from './send-queries.ts';

/** What everybody has to know who sends a mail of unknown outcome again. */
export const MAY_ARRIVE_TWICE = 'It may have arrived. Resending could deliver it twice.';

/** Sends a failed mail again, as far as its state and the key allow. */
export function RetrySend({ send }: { readonly send: SendWithEvents }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isAsked, setIsAsked] = useState(false);
  const [data, setData] = useState('');
  // Those of others are kept where they come from.
  const takesData = send.source_type === 'api' || send.source_type === 'test';
  const retry = useMutation({
    mutationFn: () => {
      const body = takesData && data.trim() ? { data: dataOf(data) } : {};
      return answerOf(api.POST('/sends/{id}/retry', { params: { path: { id: send.id } }, body }));
    },
    onSuccess: ({ queued, send_id }) => {
      setIsAsked(false);
      notifyDone(queued ? 'Its campaign is resending it' : 'Resent');
      if (!queued) go(`/${send_id}`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: SENDS }),
  });
  const needed = send.source_type === 'campaign' && may('POST /sends/{id}/retry') ? 'POST /campaigns/{id}/retry' : 'POST /sends/{id}/retry';
  // Content of a call is not kept, so there is nothing to send again; who is to confirm is asked again from the contact's page.
  const isKept = send.template !== null && send.source_type !== 'confirmation';
  if (send.status !== 'failed' || send.retried_as !== null || !send.to_email || !isKept) return null;
  if (!may(needed)) return <ReadsOnly things="sends" doing="resending" operation={needed} />;
  return (
    <>
      <Button variant="default" leftSection={<IconRepeat size={14} />} onClick={() => setIsAsked(true)}>
        Resend…
      </Button>
      <Confirm
        opened={isAsked}
        onClose={() => setIsAsked(false)}
        title="Resend this email?"
        action="Resend"
        keep="Go back"
        mutation={retry}
      >
        <Stack gap="sm">
          <Text size="sm">
            {send.error?.startsWith('outcome_unknown') ? `${MAY_ARRIVE_TWICE} ` : ''}
            It goes to {send.to_email} once more, unless the address may get no email by now.
          </Text>
          {takesData ? (
            <Textarea
              label="Data"
              description="The email's data is not stored, so enter it again as JSON"
              placeholder="{}"
              autosize
              minRows={2}
              spellCheck={false}
              value={data}
              onChange={(event) => setData(event.currentTarget.value)}
            />
          ) : null}
        </Stack>
      </Confirm>
    </>
  );
}

/** Throws what is wrong with it. */
function dataOf(text: string): Schemas['SendRetryInput']['data'] {
  const data: unknown = JSON.parse(text);
  if (!isObject(data)) throw new Error('Enter a JSON object such as { "name": "Ada" }');
  return data as Schemas['SendRetryInput']['data'];
}
