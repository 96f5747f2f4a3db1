import { Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { KEY_OVERLAP_DAYS } from '../../api/limits.ts';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { DOMAINS, type DomainWithRecords, domainQuery } from './domain-queries.ts';

/** By which algorithms the email of a domain is signed; RSA always is one. */
export function DomainSigning({ domain: { id, ed25519 } }: { readonly domain: DomainWithRecords }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: async (to: boolean) =>
      (await answerOf(api.PATCH('/domains/{id}', { params: { path: { id } }, body: { ed25519: to } }))).domain,
    onSuccess: async (changed) => {
      queries.setQueryData(domainQuery(id).queryKey, changed);
      notifyDone(wordsOf(changed));
      await queries.invalidateQueries({ queryKey: DOMAINS });
    },
  });
  return (
    <Panel title="Signing">
      {may('PATCH /domains/{id}') ? (
        <Switch
          label="Also sign with Ed25519"
          description="Needs one more DNS record. Email is signed with RSA alone until it is found."
          checked={change.isPending ? change.variables : ed25519}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      ) : (
        <Text size="sm">{ed25519 ? 'With RSA, and with Ed25519 once its record is found' : 'With RSA'}</Text>
      )}
      {change.error ? <FailureNotice error={change.error} /> : null}
    </Panel>
  );
}

function wordsOf({ ed25519, records }: DomainWithRecords): string {
  const keys = records.filter(({ algorithm }) => algorithm === 'ed25519');
  if (ed25519) return keys.some(({ signs }) => signs) ? 'Ed25519 is on' : 'Ed25519 is on. Set its record';
  return keys.some(({ action }) => action === 'keep') ? `Ed25519 is off. Keep its record for ${KEY_OVERLAP_DAYS} days` : 'Ed25519 is off';
}
