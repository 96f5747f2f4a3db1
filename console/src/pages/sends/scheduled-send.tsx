import { Button, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { MoveSend } from './move-send.tsx';
import { SENDS, type SendWithEvents } from './send-queries.ts';

/** Sends a mail that waits now, at another time, or never, as far as the key allows. */
export function ScheduledSend({ send }: { readonly send: SendWithEvents }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [asked, setAsked] = useState<'now' | 'cancel'>();
  const close = () => setAsked(undefined);
  const params = { path: { id: send.id } };
  const onSettled = () => queries.invalidateQueries({ queryKey: SENDS });
  const now = useMutation({
    mutationFn: () => answerOf(api.PATCH('/sends/{id}', { params, body: { sendAt: new Date().toISOString() } })),
    onSuccess: () => {
      close();
      notifyDone('Sending now');
    },
    onSettled,
  });
  const cancel = useMutation({
    mutationFn: () => answerOf(api.DELETE('/sends/{id}', { params })),
    onSuccess: () => {
      notifyDone('Email cancelled');
      go('/?status=scheduled');
    },
    onSettled,
  });
  if (send.status !== 'scheduled') return null;
  if (!may('PATCH /sends/{id}')) return <ReadsOnly things="sends" doing="changing" operation="PATCH /sends/{id}" />;
  return (
    <>
      <Button variant="default" leftSection={<IconSend size={14} />} onClick={() => setAsked('now')}>
        Send now…
      </Button>
      {send.send_at === null ? null : <MoveSend send={send} goesAt={send.send_at} />}
      <Button variant="default" onClick={() => setAsked('cancel')}>
        Cancel email…
      </Button>
      <Confirm opened={asked === 'now'} onClose={close} title="Send this email now?" action="Send now" keep="Go back" mutation={now}>
        <Text size="sm">It goes to {send.to_email} at once, and not at the time that it was scheduled for.</Text>
      </Confirm>
      <Confirm
        opened={asked === 'cancel'}
        onClose={close}
        title="Cancel this email?"
        action="Cancel email"
        keep="Go back"
        mutation={cancel}
      >
        <Text size="sm">It does not go to {send.to_email}, and nothing of it is kept.</Text>
      </Confirm>
    </>
  );
}
