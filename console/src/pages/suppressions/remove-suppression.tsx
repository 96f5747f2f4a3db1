import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { CONTACTS } from '../contacts/contact-queries.ts';
import { REASONS } from './reasons.ts';
import { SUPPRESSIONS, type Suppression } from './suppression-queries.ts';

/** Asks before an address is taken off the list; undefined: nothing is asked. */
export function RemoveSuppression({
  suppression,
  onClose,
}: {
  readonly suppression: Pick<Suppression, 'email' | 'reason'> | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const queries = useQueryClient();
  const email = suppression?.email ?? '';
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/suppressions/{email}', { params: { path: { email } } })),
    onSuccess: async () => {
      notifyDone(`${email} removed from the suppression list`);
      // The timeline of its contact tells it too. Before the dialog closes: the focus goes to what is there then.
      await Promise.all([SUPPRESSIONS, CONTACTS].map((queryKey) => queries.invalidateQueries({ queryKey })));
      onClose();
    },
  });
  return (
    <Confirm
      opened={suppression !== undefined}
      onClose={onClose}
      title={`Remove ${email} from the list?`}
      action="Remove"
      mutation={remove}
    >
      <Text size="sm">
        {suppression?.reason === 'complaint' || suppression?.reason === 'bounce'
          ? `It was suppressed because of a ${suppression.reason}. Sending to it again can hurt your sender reputation.`
          : 'It can get email again right away.'}
        {suppression && REASONS[suppression.reason].unsubscribes
          ? ' A contact with the address that was unsubscribed with it stays so, and gets transactional email only.'
          : ''}
      </Text>
    </Confirm>
  );
}
