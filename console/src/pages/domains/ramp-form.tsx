import { Button, Stack, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { USUAL_RAMP } from '../../api/limits.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { DOMAINS, type DomainWithRecords, domainQuery } from './domain-queries.ts';
import { stepsFault, stepsIn, stepsText } from './ramp-steps.ts';

interface Given {
  readonly domain: DomainWithRecords;
  readonly onClose: () => void;
}

/** Sets the steps of a domain's ramp, or takes it away. */
export function RampForm({ domain: { id, ramp }, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const before = stepsText(ramp?.steps ?? USUAL_RAMP);
  const [text, setText] = useState(before);
  const change = useMutation({
    mutationFn: async (to: { steps: number[] } | null) =>
      (await answerOf(api.PATCH('/domains/{id}', { params: { path: { id } }, body: { ramp: to } }))).domain,
    onSuccess: async (changed) => {
      queries.setQueryData(domainQuery(id).queryKey, changed);
      notifyDone(!changed.ramp ? 'Ramp removed' : ramp ? 'Ramp changed' : 'Ramp set up');
      onClose();
      await queries.invalidateQueries({ queryKey: DOMAINS });
    },
  });
  const { props, errorOf, close } = useForm({
    faults: { 'ramp.steps': stepsFault(text) },
    error: change.error,
    isPending: change.isPending,
    isUnsaved: text !== before && !change.isSuccess,
    onSubmit: () => change.mutate({ steps: stepsIn(text) }),
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <Textarea
          label="Emails a day"
          description="Of the first day with email, of the second, and so on; after the last there is no limit. Campaigns that have used a day go on at 00:00 UTC. Other emails count, and are never held"
          required
          autosize
          data-autofocus
          value={text}
          error={errorOf('ramp.steps')}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {change.error ? <FailureNotice error={change.error} /> : null}
        {ramp ? (
          <Button variant="subtle" color="red" disabled={change.isPending} onClick={() => change.mutate(null)}>
            Remove ramp
          </Button>
        ) : null}
        <FormEnd action={ramp ? 'Save ramp' : 'Set up ramp'} isPending={change.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}
