import { Button, Stack, Text, TextInput } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { IN_OWN_ZONE, isPast, localTime, momentOf } from '../../frame/local-time.ts';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { exactTime } from '../../show/time.tsx';
import { SENDS, type SendWithEvents } from './send-queries.ts';

/** Lets a mail that waits go at another time. */
export function MoveSend({ send: { id, to_email }, goesAt }: { readonly send: SendWithEvents; readonly goesAt: string }): ReactNode {
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const [time, setTime] = useState('');
  const close = () => setIsOpen(false);
  const move = useMutation({
    mutationFn: () => answerOf(api.PATCH('/sends/{id}', { params: { path: { id } }, body: { sendAt: momentOf(time) } })),
    onSuccess: ({ sendAt }) => {
      close();
      notifyDone(`Rescheduled to ${exactTime(sendAt)}`);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: SENDS }),
  });
  const open = () => {
    setTime(localTime(goesAt));
    setIsOpen(true);
  };
  return (
    <>
      <Button variant="default" leftSection={<IconClock size={14} />} onClick={open}>
        Move…
      </Button>
      <Confirm opened={isOpen} onClose={close} title="Reschedule this email?" action="Reschedule" keep="Go back" mutation={move}>
        <Stack gap="sm">
          <Text size="sm">It goes to {to_email} then. Whether it may is looked at when it goes.</Text>
          <TextInput
            label="Scheduled for"
            type="datetime-local"
            description={IN_OWN_ZONE}
            min={localTime(new Date().toISOString())}
            value={time}
            required
            error={isPast(time) ? 'This is in the past' : undefined}
            onChange={(event) => setTime(event.currentTarget.value)}
          />
        </Stack>
      </Confirm>
    </>
  );
}
