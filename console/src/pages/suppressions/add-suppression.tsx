import { Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { CONTACTS } from '../contacts/contact-queries.ts';
import { REASONS, type Reason, reasonWords } from './reasons.ts';
import { SUPPRESSIONS } from './suppression-queries.ts';

/** Suppresses an address by hand. */
export function AddSuppression({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <FormDialog opened={opened} onClose={onClose} title="Suppress address">
      <Form onClose={onClose} />
    </FormDialog>
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
      notifyDone(`${answer.email} suppressed`);
      await Promise.all([SUPPRESSIONS, CONTACTS].map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  const { props, errorOf, close } = useForm({
    faults: { email: email.trim() ? undefined : 'Enter an email address' },
    error: add.error,
    isPending: add.isPending,
    isUnsaved: email !== '' && !add.isSuccess,
    onSubmit: add.mutate,
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <TextInput
          label="Email"
          type="email"
          placeholder="ada@example.com"
          required
          data-autofocus
          value={email}
          error={errorOf('email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Select
          label="Reason"
          description={reasonWords(reason)}
          allowDeselect={false}
          data={(Object.keys(REASONS) as Reason[]).map((value) => ({ value, label: REASONS[value].label }))}
          value={reason}
          onChange={(value) => setReason((value as Reason | null) ?? 'manual')}
        />
        {add.error ? <FailureNotice error={add.error} /> : null}
        <FormEnd action="Suppress address" isPending={add.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}
