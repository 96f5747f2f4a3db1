import { Button, Menu } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { Detail, DetailSkeleton } from '../../frame/detail.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MoreActions } from '../../show/more-actions.tsx';
import { AboutDomain } from './about-domain.tsx';
import { CheckAnswer } from './check-answer.tsx';
import { DOMAINS, type DomainWithRecords, domainQuery } from './domain-queries.ts';
import { DomainRecords } from './domain-records.tsx';
import { DomainStanding } from './domain-standing.tsx';
import { DomainStatus } from './domain-status.tsx';
import { RemoveDomain } from './remove-domain.tsx';
import { RotateKey } from './rotate-key.tsx';

const DOMAIN_LIST = { to: '/', label: 'Domains' };

/** One domain: the records to set, what stands in DNS, and what follows for its email. */
export function DomainPage({ id }: { readonly id: string }): ReactNode {
  const { data: domain, error, refetch } = useQuery(domainQuery(id));
  const { may } = useSession();
  const [asked, setAsked] = useState<'rotate' | 'remove'>();
  const close = (): void => setAsked(undefined);
  const check = useCheck(id);
  const isWritable = may('POST /domains/{id}/verify');
  return (
    <Page
      title={domain?.domain ?? (error ? 'Domain' : undefined)}
      beside={domain ? <DomainStatus domain={domain} /> : undefined}
      back={DOMAIN_LIST}
      actions={
        domain && isWritable ? (
          <>
            <MoreActions>
              {domain.records.length > 0 ? <Menu.Item onClick={() => setAsked('rotate')}>Rotate DKIM key…</Menu.Item> : null}
              <Menu.Item color="red" onClick={() => setAsked('remove')}>
                Remove domain…
              </Menu.Item>
            </MoreActions>
            {domain.records.length > 0 ? (
              <Button leftSection={<IconRefresh size={14} />} loading={check.isPending} onClick={() => check.mutate()}>
                Check now
              </Button>
            ) : null}
          </>
        ) : domain ? (
          <ReadsOnly things="domains" doing="changing" operation="POST /domains/{id}/verify" />
        ) : undefined
      }
    >
      {error && !domain ? <Unread error={error} onRetry={refetch} what="domain" back={DOMAIN_LIST} /> : null}
      {domain ? (
        <>
          {check.error ? <FailureNotice error={check.error} /> : null}
          {check.data ? <CheckAnswer domain={check.data} onClose={check.reset} /> : null}
          <Detail
            main={
              <>
                <DomainStanding domain={domain} />
                {domain.records.length > 0 ? <DomainRecords domain={domain} /> : null}
              </>
            }
            aside={<AboutDomain domain={domain} />}
          />
          <RotateKey domain={domain} opened={asked === 'rotate'} onClose={close} />
          <RemoveDomain domain={domain} opened={asked === 'remove'} onClose={close} />
        </>
      ) : error ? null : (
        <DetailSkeleton />
      )}
    </Page>
  );
}

/** Asks DNS now, and shows at once what it says. */
function useCheck(id: string) {
  const queries = useQueryClient();
  const { readAgain } = useSession();
  return useMutation({
    mutationFn: async (): Promise<DomainWithRecords> =>
      (await answerOf(api.POST('/domains/{id}/verify', { params: { path: { id } } }))).domain,
    onSuccess: async (checked) => {
      queries.setQueryData(domainQuery(id).queryKey, checked);
      // Whether senders may send is told with who is signed in.
      await Promise.all([queries.invalidateQueries({ queryKey: DOMAINS }), readAgain()]);
    },
  });
}
