import { Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { someOf } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { Confirm } from '../../show/confirm.tsx';
import { notifyDone } from '../../show/notify.ts';
import { DOMAINS, type DomainWithRecords, domainOf, domainQuery, domainsQuery, sendersOn } from './domain-queries.ts';

interface Given {
  readonly domain: DomainWithRecords;
  readonly opened: boolean;
  readonly onClose: () => void;
}

const MOST_SENDERS = 3;

/** Asks before a domain is removed: what is no longer sent then, and what does not come back. */
export function RemoveDomain({ domain, opened, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { brands, readAgain } = useSession();
  const { data } = useQuery(domainsQuery());
  const above = domainOf(
    domain.domain,
    (data ?? []).filter(({ id, verified }) => verified && id !== domain.id),
  );
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/domains/{id}', { params: { path: { id: domain.id } } })),
    onSuccess: async () => {
      navigate('/', { replace: true });
      notifyDone(`${domain.domain} removed`);
      queries.removeQueries({ queryKey: domainQuery(domain.id).queryKey });
      await Promise.all([queries.invalidateQueries({ queryKey: DOMAINS }), readAgain()]);
    },
  });
  const senders = sendersOn(domain, brands).flatMap(({ from_email }) => from_email ?? []);
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Remove ${domain.domain}?`}
      action="Remove domain"
      isFinal
      {...(domain.verified && !above ? { typed: domain.domain } : {})}
      mutation={remove}
    >
      <Text size="sm">
        {consequences(domain, above?.domain)}
        {senders.length > 0 && domain.verified && !above ? ` That is the mail of ${someOf(senders, MOST_SENDERS)}.` : ''}
      </Text>
      {domain.records.length > 0 || domain.vouched ? (
        <Text size="sm" mt="xs">
          {domain.records.length > 0 ? 'Its DKIM keys are deleted: added again, the domain has other records to set.' : ''}
          {domain.vouched ? ' That whoever runs Everpost vouched for it is forgotten.' : ''} This cannot be undone.
        </Text>
      ) : null}
    </Confirm>
  );
}

function consequences({ domain, verified }: DomainWithRecords, above: string | undefined): string {
  if (!verified) return `${domain} is not verified, so nothing is sent from it now, and nothing changes for your email.`;
  if (above)
    return `Addresses on ${domain} go on sending, since ${above} is verified. Email is then signed with the key of ${above}, if it has one.`;
  return `Email from ${domain} and its subdomains is refused from then on: calls that send get an error, scheduled emails and campaigns fail, and steps of sequences fail and go on.`;
}
