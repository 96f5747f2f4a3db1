import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useFieldErrors } from '../../frame/field-errors.ts';
import { askBeforeLeaving, useLeaveGuard } from '../../frame/leave-guard.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { REASONS, type Reason } from './reasons.ts';
import { SUPPRESSIONS } from './suppression-queries.ts';

/** Suppresses an address by hand. */
export function AddSuppression({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <Modal opened={opened} onClose={() => askBeforeLeaving(onClose)} title="Suppress an address">
      <Form onClose={onClose} />
    </Modal>
  );
}

function Form({ onClose }: { readonly onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [reason, setReason] = useState<Reason>('manual');
  const add = useMutation({
    mutationFn: () => answerOf(api.POST('/suppressions', { body: { email: email.trim(), reason } })),
    onSuccess: async (answer) => {
      onClose();
      notifyDone(`${answer.email} is suppressed`);
      await queries.invalidateQueries({ queryKey: SUPPRESSIONS });
    },
  });
  useLeaveGuard(email !== '' && !add.isSuccess);
  const errorOf = useFieldErrors(add.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Address"
          type="email"
          placeholder="ada@example.com"
          required
          withAsterisk={false}
          data-autofocus
          value={email}
          error={errorOf('email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Select
          label="Reason"
          allowDeselect={false}
          data={(Object.keys(REASONS) as Reason[]).map((value) => ({ value, label: REASONS[value].label }))}
          value={reason}
          onChange={(value) => setReason((value as Reason | null) ?? 'manual')}
        />
        {add.error ? <FailureNotice error={add.error} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => askBeforeLeaving(onClose)}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={!email.trim()}>
            Suppress
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
