import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { MailboxLink } from '../../show/mailbox-link.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { notSentWords } from '../../show/send-error-words.ts';
import type { Send } from '../sends/send-queries.ts';
import { SendStatus } from '../sends/send-status.tsx';
import { SentMail } from '../sends/sent-mail.tsx';
import { type Campaign, hasEnded, newestSendsQuery, sendsOf } from './campaign-queries.ts';

/** The last of its mails, each with the way to what became of it and to the mail itself; and the ways to all of them, and to the mailbox that a trial has. */
export function NewestSends({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const { data, error, refetch } = useQuery(newestSendsQuery(campaign));
  const { mailbox } = useSession();
  const ways = (
    <Group gap="sm" fz="sm">
      {mailbox && !campaign.sandboxed ? <MailboxLink to={mailbox}>Local mailbox</MailboxLink> : null}
      <Anchor component={Link} href={sendsOf(campaign)} inherit>
        All sends
      </Anchor>
    </Group>
  );
  return (
    <Panel title="Latest emails" action={data && data.sends.length > 0 ? ways : undefined}>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data?.sends.length === 0 ? (
        <Text size="sm" c="dimmed">
          {hasEnded(campaign) ? 'No emails were sent.' : 'No emails have been sent yet.'}
        </Text>
      ) : null}
      <Stack gap="xs">
        {data?.sends.map((send) => (
          <Row key={send.id} send={send} isMarked={send.sandboxed && !campaign.sandboxed} />
        ))}
      </Stack>
    </Panel>
  );
}

/** Marked: among mails that left it did not. */
function Row({ send, isMarked }: { readonly send: Send; readonly isMarked: boolean }): ReactNode {
  const to = send.to_email || 'Erased';
  const notSent = notSentWords(send);
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <Stack gap={0} miw={0}>
        <Anchor component={Link} href={inConsole(`/sends/${send.id}`)} size="sm" c="inherit" truncate>
          {to}
        </Anchor>
        {notSent ? (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {notSent}
          </Text>
        ) : null}
      </Stack>
      <Group gap="sm" wrap="nowrap" style={{ flex: 'none' }}>
        {isMarked ? <Sandboxed /> : null}
        <SendStatus send={send} />
        <SentMail sendId={send.id} title={`${send.subject || send.template}, to ${to}`} notSent={notSent} isQuiet />
      </Group>
    </Group>
  );
}
