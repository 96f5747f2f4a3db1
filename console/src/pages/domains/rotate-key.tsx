import { List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { KEY_OVERLAP_DAYS } from '../../api/limits.ts';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { type DomainWithRecords, domainQuery } from './domain-queries.ts';

interface Given {
  readonly domain: DomainWithRecords;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks before new keys are made for a domain: what is to be done then, and when. */
export function RotateKey({ domain, opened, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: async () => (await answerOf(api.POST('/domains/{id}/rotate', { params: { path: { id: domain.id } } }))).domain,
    onSuccess: (rotated) => {
      const isNew = namesOf(rotated).some((name) => !namesOf(domain).includes(name));
      queries.setQueryData(domainQuery(domain.id).queryKey, rotated);
      notifyDone(isNew ? 'New DKIM key made. Set its record' : 'A new DKIM key waits for its record already, so no other was made');
      onClose();
    },
  });
  return (
    <Confirm opened={opened} onClose={onClose} title="Rotate the DKIM key?" action="Make new key" mutation={rotate}>
      <List type="ordered" size="sm" spacing="xs">
        <List.Item>You get a new record. Set it, and leave the old one.</List.Item>
        <List.Item>The old key signs your email until the new record is found. Then the new key does, by itself.</List.Item>
        <List.Item>Keep the old record for {KEY_OVERLAP_DAYS} more days, then remove it. This page says when.</List.Item>
      </List>
      <Text size="sm" c="dimmed" mt="sm">
        Could others have the old private key? Then remove its record at once. Email is not signed until the new record is found.
      </Text>
    </Confirm>
  );
}

function namesOf({ records }: DomainWithRecords): readonly string[] {
  return records.map(({ name }) => name);
}
