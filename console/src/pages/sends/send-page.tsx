import { Alert, Anchor, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Detail, DetailSkeleton, Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { capitalized } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { DomainLink } from '../../show/domain-link.tsx';
import { Happenings } from '../../show/happenings.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { isListedAsSuppressed, notSentWords } from '../../show/send-error-words.ts';
import { unverifiedHost } from '../../show/sender-host.ts';
import { Time } from '../../show/time.tsx';
import { madeOf, sendSource } from '../../show/words.ts';
import { useCampaignName } from '../campaigns/campaign-name.ts';
import { campaignQuery } from '../campaigns/campaign-queries.ts';
import { runQuery, sequencesQuery } from '../sequences/sequence-queries.ts';
import { languageWords } from '../templates/languages/language-names.ts';
import { templateHref } from '../templates/template-queries.ts';
import { AttachmentFacts } from './attachment-facts.tsx';
import { lifeOf } from './life-of-send.ts';
import { RetrySend } from './retry-send.tsx';
import { SaidOfMail } from './said-of-mail.tsx';
import { ScheduledSend } from './scheduled-send.tsx';
import { type SendWithEvents, sendQuery } from './send-queries.ts';
import { SendStatus } from './send-status.tsx';
import { SentMail } from './sent-mail.tsx';

const SENDS_LIST = { to: '/', label: 'Sends' };

/** One attempt to send: its life from the request to the last click. */
export function SendPage({ id }: { readonly id: string }): ReactNode {
  const { data: send, error, refetch } = useQuery(sendQuery(id));
  const senderHost = unverifiedHost(send?.error ?? '');
  return (
    <Page
      title={send ? send.subject || madeOf(send.template) : error ? 'Send' : undefined}
      beside={
        send ? (
          <>
            <SendStatus send={send} />
            {send.sandboxed ? <Sandboxed /> : null}
          </>
        ) : undefined
      }
      description={send ? whomWords(send) : undefined}
      back={SENDS_LIST}
      actions={
        send ? (
          <>
            <RetrySend key={send.id} send={send} />
            <ScheduledSend key={`${send.id} scheduled`} send={send} />
            {send.template === null || send.status === 'scheduled' ? null : (
              <SentMail sendId={send.id} title={send.subject || send.template} notSent={notSentWords(send)} />
            )}
          </>
        ) : undefined
      }
    >
      {error && !send ? <Unread error={error} onRetry={refetch} what="send" back={SENDS_LIST} /> : null}
      {send ? (
        <Detail
          main={
            <>
              {send.status === 'failed' ? (
                <Alert color="red" title="Not sent">
                  {notSentWords(send)}
                  {senderHost === undefined ? null : (
                    <>
                      {'. '}
                      <DomainLink host={senderHost}>Verify {senderHost}</DomainLink>
                    </>
                  )}
                  {isListedAsSuppressed(send.error, send.to_email) ? (
                    <>
                      {'. '}
                      <Anchor
                        component={Link}
                        href={inConsole(`/suppressions?${new URLSearchParams({ q: send.to_email })}`)}
                        inherit
                        c="inherit"
                        underline="always"
                      >
                        View it there
                      </Anchor>
                    </>
                  ) : null}
                </Alert>
              ) : null}
              <Panel title="Timeline">
                <Happenings of={lifeOf(send)} keyOf={({ key }) => key} show={(step) => step} />
                {send.status === 'sent' && send.events.length === 0 && !send.first_opened_at ? (
                  <Text size="sm" c="dimmed" mt="md">
                    No reports yet. Reports come from the email provider; opens and clicks from tracked emails.
                  </Text>
                ) : null}
              </Panel>
            </>
          }
          aside={<About send={send} />}
        />
      ) : error ? null : (
        <DetailSkeleton />
      )}
    </Page>
  );
}

function whomWords(send: SendWithEvents): string {
  if (!send.to_email) return 'to an erased contact';
  const copies = send.cc.length + send.bcc.length;
  if (copies === 0) return `to ${send.to_email}`;
  return `to ${send.to_email}, whose status this is, with ${copies === 1 ? 'one copy' : `${copies} copies`}`;
}

function About({ send }: { readonly send: SendWithEvents }): ReactNode {
  const { may } = useSession();
  return (
    <Panel title="Send">
      <Facts>
        <Fact name="Id">
          <CopiedId value={send.id} name="send id" />
        </Fact>
        <Fact name="Message id">{send.provider_id ? <CopiedId value={send.provider_id} name="message id" /> : null}</Fact>
        <Fact name="Contact">
          {send.contact_id && may('GET /contacts/{id}') ? (
            <Anchor component={Link} href={inConsole(`/contacts/${send.contact_id}`)} inherit>
              {send.to_email || send.contact_id}
            </Anchor>
          ) : (
            send.contact_id
          )}
        </Fact>
        <Fact name="Template">
          {send.template === null ? (
            'None. The request included its own content, which is not stored'
          ) : (
            <Anchor component={Link} href={inConsole(`/templates${templateHref(send.template, send.brand_id)}`)} inherit>
              {send.template}
            </Anchor>
          )}
        </Fact>
        <Fact name="Variant">{send.variant}</Fact>
        {send.locale ? <Fact name="Language">{languageWords(send.locale)}</Fact> : null}
        <Fact name="Type">{capitalized(send.type)}</Fact>
        <Fact name="Brand">{send.brand_id}</Fact>
        <Fact name="Source">
          <Source send={send} />
        </Fact>
        <Fact name="Source id">{send.source_id ? <CopiedId value={send.source_id} name="source id" /> : null}</Fact>
        <SaidOfMail send={send} />
        <AttachmentFacts send={send} />
        <Fact name="Opens">{send.open_count}</Fact>
        <Fact name="Clicks">{send.click_count}</Fact>
        <Fact name="Resent as">{send.retried_as ? <To href={`/sends/${send.retried_as}`}>The email that followed</To> : null}</Fact>
        <Fact name="Resend of">{send.retry_of ? <To href={`/sends/${send.retry_of}`}>An email that failed</To> : null}</Fact>
        <Fact name="Requested">
          <Time at={send.created_at} />
        </Fact>
        <Fact name="Scheduled for">{send.send_at ? <Time at={send.send_at} isExact /> : null}</Fact>
        <Fact name="Last report">{send.last_event_at ? <Time at={send.last_event_at} /> : null}</Fact>
      </Facts>
    </Panel>
  );
}

/** What asked for it: its campaign, its run or the contact that is to confirm, where the key may look at it. */
function Source({
  send: { source_type: type, source_id: id, enrollment_id: run, contact_id: contact },
}: {
  readonly send: SendWithEvents;
}): ReactNode {
  const { may } = useSession();
  const isOfRun = type === 'sequence' && run !== null && may('GET /enrollments/{id}');
  const { data: shown } = useInfiniteQuery({ ...runQuery(run ?? ''), enabled: isOfRun });
  const { data: sequences } = useQuery({ ...sequencesQuery(), enabled: isOfRun });
  const { data: campaign } = useQuery({ ...campaignQuery(id ?? ''), enabled: type === 'campaign' && id !== null, refetchInterval: false });
  const name = useCampaignName(campaign);
  const sequence = isOfRun ? shown?.sequence_key : undefined;
  if (type === 'campaign' && id) return <To href={`/campaigns/${id}`}>{name ?? 'Campaign'}</To>;
  if (type === 'confirmation' && contact && may('GET /contacts/{id}'))
    return <To href={`/contacts/${contact}`}>{sendSource(type).name}</To>;
  return sequence ? (
    <To href={`/sequences/${encodeURIComponent(sequence)}/runs/${run}`}>
      Sequence {sequences?.find(({ key }) => key === sequence)?.name ?? sequence}
    </To>
  ) : (
    sendSource(type).name
  );
}

function To({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactNode {
  return (
    <Anchor component={Link} href={inConsole(href)} inherit>
      {children}
    </Anchor>
  );
}
