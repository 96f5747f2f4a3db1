import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { type ApiKey, KEYS } from './key-queries.ts';

/** Asks before a key is revoked; undefined: nothing is asked. */
export function RevokeKey({ apiKey, onClose }: { readonly apiKey: ApiKey | undefined; readonly onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const { key: current } = useSession();
  const name = apiKey?.name ?? apiKey?.public_id ?? '';
  const id = apiKey?.id ?? '';
  const revoke = useMutation({
    mutationFn: () => answerOf(api.DELETE('/keys/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      notifyDone(`${name} revoked`);
      // Before the dialog closes: the focus goes to what is there then.
      await queries.invalidateQueries({ queryKey: KEYS });
      onClose();
    },
  });
  return (
    <Confirm opened={apiKey !== undefined} onClose={onClose} title={`Revoke ${name}?`} action="Revoke key" isFinal mutation={revoke}>
      <Text size="sm">
        {id === current.id
          ? 'You are signed in with this key. You will be signed out everywhere at once.'
          : 'Its requests stop working at once, and anyone signed in here with it is signed out.'}{' '}
        Keys it created keep working. This cannot be undone.
      </Text>
    </Confirm>
  );
}
