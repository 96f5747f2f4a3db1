import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useFieldErrors } from '../../frame/field-errors.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import type { MailData } from './template-queries.ts';

interface Given {
  readonly template: string;
  readonly brand?: string | undefined;
  readonly data: MailData;
  /** What the mail shows, where it is not all that is on the page. */
  readonly note: string;
}

/** Sends the template to one address to look at it, whether or not it is enabled. */
export function TestMail(given: Given): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [to, setTo] = useState('');
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        Send test mail…
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="Send a test mail">
        <Form {...given} to={to} onTo={setTo} onClose={() => setIsOpen(false)} />
      </Modal>
    </>
  );
}

interface FormGiven extends Given {
  readonly to: string;
  readonly onTo: (to: string) => void;
  readonly onClose: () => void;
}

function Form({ template, brand, data, note, to, onTo, onClose }: FormGiven): ReactNode {
  const send = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/templates/{key}/test', {
          params: { path: { key: template } },
          body: { to: to.trim(), data, ...(brand ? { brand } : {}) },
        }),
      ),
    onSuccess: () => {
      onClose();
      notifyDone(`A test mail is on its way to ${to.trim()}`);
    },
  });
  const problemOf = useFieldErrors(send.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {note}
        </Text>
        <TextInput
          label="To"
          type="email"
          placeholder="you@example.com"
          required
          withAsterisk={false}
          data-autofocus
          value={to}
          error={problemOf('to')}
          onChange={(event) => onTo(event.currentTarget.value)}
        />
        {send.error ? <FailureNotice error={send.error} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={send.isPending} disabled={!to.trim()}>
            Send test mail
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
