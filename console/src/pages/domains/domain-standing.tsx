import { Alert, Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { DOMAIN_GRACE_HOURS } from '../../api/limits.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { hoursAfter } from '../../show/relative-time.ts';
import { momentWords } from '../../show/time.tsx';
import { DOMAINS, type DomainWithRecords, domainQuery } from './domain-queries.ts';
import { awaitedKeys, keyRoleOf, labelsOf } from './record-words.ts';

/** What the state of a domain means for its email, and what to do; nothing where all is as it should be. */
export function DomainStanding({ domain }: { readonly domain: DomainWithRecords }): ReactNode {
  const { standing, vouched, records } = domain;
  if (records.length === 0) return <WithoutRecords domain={domain} />;
  if (standing === 'failing') return <Failing domain={domain} />;
  if (vouched && standing !== 'verified') {
    return (
      <Alert color="gray" title="Verified by whoever runs Everpost">
        Email from {domain.domain} is sent whatever DNS says. Set the records below as well: then the domain also proves itself, and
        Everpost signs the email that it hands on by SMTP.
      </Alert>
    );
  }
  if (standing === 'verified') return <AwaitedKeys domain={domain} />;
  const required = labelsOf(
    records.filter((record) => record.required),
    records,
  );
  return (
    <Alert color="gray" title="Set these records to send from this domain">
      Copy them to where the DNS of {domain.domain} is hosted: your registrar, or a service such as Cloudflare or Route 53. Once {required}{' '}
      are found the domain is verified; until then email from it is refused.
    </Alert>
  );
}

/** Where the way of who is told of a new key on Home ends. */
function AwaitedKeys({ domain: { records } }: { readonly domain: DomainWithRecords }): ReactNode {
  const awaited = awaitedKeys(records);
  if (awaited.length === 0) return null;
  return (
    <Alert color="gray" title={`Record to set: ${labelsOf(awaited, records)}`}>
      Email is signed as before until it is found. Everpost looks for it by itself.
    </Alert>
  );
}

function Failing({ domain: { domain, vouched, failing_since, records } }: { readonly domain: DomainWithRecords }): ReactNode {
  const lacking = records.filter(({ required, state }) => required && (state === 'missing' || state === 'wrong'));
  const until = failing_since ? hoursAfter(failing_since, DOMAIN_GRACE_HOURS) : undefined;
  // Who rotates a key whose record is gone sets the new one, and may have good reasons not to put the old one back.
  const isRotated = records.some((record) => keyRoleOf(record, records) === 'earlier');
  return (
    <Alert
      role="alert"
      color={vouched ? 'orange' : 'red'}
      title={`${labelsOf(lacking, records) || 'A record'} ${isRotated ? 'not found yet' : 'was there and is not any more'}`}
    >
      {vouched
        ? `Email from ${domain} is still sent, since whoever runs Everpost vouches for the domain. But receivers may take it for spam.`
        : `${isRotated ? 'Set it' : 'Put it back'}. Email from ${domain} is still sent until ${until === undefined ? 'then' : momentWords(new Date(until).toISOString())} and refused afterwards, until the record is found again.`}
    </Alert>
  );
}

/** A domain that an operator has added, of which Everpost asks for no records yet. */
function WithoutRecords({ domain: { id, domain, vouched } }: { readonly domain: DomainWithRecords }): ReactNode {
  const { may } = useSession();
  const queries = useQueryClient();
  const ask = useMutation({
    mutationFn: async () => (await answerOf(api.POST('/domains', { body: { domain } }))).domain,
    onSuccess: async (asked) => {
      queries.setQueryData(domainQuery(id).queryKey, asked);
      await queries.invalidateQueries({ queryKey: DOMAINS });
    },
  });
  return (
    <Alert color={vouched ? 'gray' : 'orange'} title={vouched ? 'Verified by whoever runs Everpost' : 'Not verified yet'}>
      <Text size="sm">
        {vouched
          ? `Email from ${domain} is sent whatever DNS says; its records are those of your email provider. You can have records of Everpost as well: then the domain also proves itself, and Everpost signs the email that it hands on by SMTP.`
          : `Whoever runs Everpost has added ${domain} and not verified it yet. Get its records to verify it yourself.`}
      </Text>
      {ask.error ? <FailureNotice error={ask.error} /> : null}
      {may('POST /domains') ? (
        <Button variant="default" mt="sm" loading={ask.isPending} onClick={() => ask.mutate()}>
          Get DNS records
        </Button>
      ) : null}
    </Alert>
  );
}
