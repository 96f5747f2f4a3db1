import { Anchor, Button, Center, Text } from '@mantine/core';
import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconBolt,
  IconBoltOff,
  IconCheck,
  IconClick,
  IconEye,
  IconLogin2,
  IconLogout2,
  IconMailOff,
  IconMailX,
  IconSend,
  IconUserCheck,
  IconUserMinus,
  IconUserPlus,
} from '@tabler/icons-react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { capitalized } from '../../letters.ts';
import { scopeOf } from '../../session/operations.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { Empty } from '../../show/empty.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { type HappeningProps, Happenings } from '../../show/happenings.tsx';
import { Json } from '../../show/json.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { sendErrorWords } from '../../show/send-error-words.ts';
import { madeOf, reporterWords } from '../../show/words.ts';
import { useTemplateNames } from '../campaigns/campaign-name.ts';
import { leftOutWords } from '../campaigns/left-out-words.ts';
import { SentMail } from '../sends/sent-mail.tsx';
import { endWords, isHeldByCap } from '../sequences/run-words.ts';
import { skippedWords } from '../sequences/simulation-words.ts';
import { useCapOfRun } from '../sequences/use-cap-of-run.ts';
import { Waiting } from '../sequences/waiting.tsx';
import { suppressionWords } from '../suppressions/reasons.ts';
import { Asker, runPage } from './asker.tsx';
import { addedWords, changeMore, changeWords, firstConsentWords } from './consent-words.tsx';
import type { TimelineEntry } from './contact-queries.ts';
import { TimelineSkeleton } from './timeline-skeleton.tsx';
import { bounceText, type Details, dotted, text, times } from './timeline-texts.ts';

interface TimelinePage {
  readonly timeline: readonly TimelineEntry[];
  readonly withMails: boolean;
}

interface Kind {
  readonly icon: Icon;
  /** What happened, in a few words. */
  readonly words: (details: Details) => ReactNode;
  /** More about it, in small letters. */
  readonly more?: (details: Details, email: string | undefined) => ReactNode;
  readonly tone?: 'bad';
}

const KINDS: Readonly<Record<TimelineEntry['kind'], Kind>> = {
  contact_created: {
    icon: IconUserPlus,
    words: addedWords,
    more: firstConsentWords,
  },
  consent_changed: { icon: IconUserCheck, words: changeWords, more: changeMore },
  suppressed: { icon: IconBan, words: () => 'Address suppressed', more: ({ reason }) => suppressionWords(text(reason)), tone: 'bad' },
  event: { icon: IconBolt, words: ({ type }) => <>Event {strong(type)}</> },
  event_refused: {
    icon: IconBoltOff,
    words: ({ type }) => <>Event refused: {strong(type)}</>,
    more: () => 'The contact has unsubscribed, so it started nothing',
  },
  mail_sent: {
    icon: IconSend,
    words: (mail) => <>Sent {subjectOf(mail)}</>,
    more: ({ template, ...mail }) => (
      <>
        {templateOf(template)} · <Asker of={mail} />
      </>
    ),
  },
  mail_failed: {
    icon: IconMailX,
    words: (mail) => <>Not sent: {subjectOf(mail)}</>,
    more: ({ error }, email) => sendErrorWords(text(error), email),
    tone: 'bad',
  },
  mail_skipped: {
    icon: IconMailOff,
    words: ({ template }) => <>Left out: {strong(template)}</>,
    more: ({ reason, ...mail }) => (
      <>
        {capitalized(skippedWords(text(reason)))} · <Asker of={{ ...mail, source_type: 'sequence' }} />
      </>
    ),
  },
  mail_reported: {
    icon: IconCheck,
    words: (mail) => (
      <>
        {REPORTS[text(mail.report) as Report] ?? text(mail.report)} {subjectOf(mail)}
      </>
    ),
    more: ({ provider, bounce }) => dotted(reporterWords(text(provider)), bounceText(bounce)),
  },
  mail_opened: { icon: IconEye, words: (mail) => <>Opened {subjectOf(mail)}</>, more: ({ count }) => times(count) },
  mail_clicked: { icon: IconClick, words: (mail) => <>Clicked in {subjectOf(mail)}</>, more: ({ count }) => times(count) },
  sequence_entered: { icon: IconLogin2, words: (run) => <>Entered sequence {strong(run.sequence_name)}</> },
  sequence_left: {
    icon: IconLogout2,
    words: (run) => <>Left sequence {strong(run.sequence_name)}</>,
    more: ({ status, end_reason }) => (text(end_reason) ? endWords(text(end_reason)) : text(status)),
  },
  enrollment_refused: {
    icon: IconMailOff,
    words: (run) => <>Not enrolled in sequence {strong(run.sequence_name)}</>,
    more: () => 'The contact has unsubscribed',
  },
  campaign_left_out: {
    icon: IconMailOff,
    words: (campaign) => (
      <>
        Left out of the campaign <LeftOutCampaign of={campaign} />
      </>
    ),
    more: ({ reason }) => leftOutWords(text(reason)),
  },
};

type Report = Exclude<Schemas['SendEvent']['type'], 'queued' | 'opened' | 'clicked'>;

const REPORTS: Readonly<Record<Report, string>> = { delivered: 'Delivered', bounced: 'Bounced', complained: 'Marked as spam' };
const BAD_REPORTS: readonly unknown[] = ['bounced', 'complained'] satisfies readonly Report[];
const BAD_CAUSES: readonly unknown[] = ['bounce', 'complaint'] satisfies readonly Schemas['SuppressionReason'][];

interface Given {
  readonly query: UseInfiniteQueryResult<InfiniteData<TimelinePage>>;
  /** Of the contact, once it is known. */
  readonly email: string | undefined;
  /** Beside the heading. */
  readonly action?: ReactNode;
  /** Asks whether to take the address off the suppression list; undefined: it is not on it, or the key may not. */
  readonly onTakeOff: (() => void) | undefined;
}

/** All that happened to a contact, newest first. */
export function ContactTimeline({ query, email, action, onTakeOff }: Given): ReactNode {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const { may } = useSession();
  const entries = data?.pages.flatMap((page) => page.timeline);
  const left = new Set(entries?.filter(({ kind }) => kind === 'sequence_left').map(({ details }) => details.enrollment_id));
  return (
    <Panel title="Timeline" action={action}>
      {data && !data.pages[0]?.withMails ? (
        <Text size="sm" c="dimmed" mb="md">
          Emails are hidden because this key lacks the scope {scopeOf('GET /sends')}.
        </Text>
      ) : null}
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {entries?.length === 0 ? <Empty title="Nothing has happened yet" /> : null}
      {!data && !error ? <TimelineSkeleton /> : null}
      {entries && entries.length > 0 ? (
        <Happenings of={entries} keyOf={({ id }) => id} show={(entry) => shown(entry, may, { email, onTakeOff, left })} />
      ) : null}
      {hasNextPage ? (
        <Center mt="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Show older
          </Button>
        </Center>
      ) : null}
    </Panel>
  );
}

function shown(
  { kind, at, details }: TimelineEntry,
  may: Session['may'],
  { email, onTakeOff, left }: Pick<Given, 'email' | 'onTakeOff'> & { readonly left: ReadonlySet<unknown> },
): HappeningProps {
  const { icon, words, more, tone } = KINDS[kind];
  const isBad = tone === 'bad' || BAD_REPORTS.includes(details.report) || BAD_CAUSES.includes(details.cause);
  const subject = subjectPage(details, may);
  return {
    icon: iconOf(icon, kind, details, isBad),
    at,
    isBad,
    words: (
      <>
        {subject ? (
          <Anchor component={Link} href={subject} inherit>
            {words(details)}
          </Anchor>
        ) : (
          words(details)
        )}
        {details.sandboxed === true ? (
          <>
            {' '}
            <Sandboxed what={kind.startsWith('sequence_') || kind === 'mail_skipped' ? 'run' : 'mail'} />
          </>
        ) : null}
      </>
    ),
    // What has happened since is above it.
    more: kind === 'sequence_entered' && !left.has(details.enrollment_id) ? <StillIn {...details} /> : more?.(details, email),
    children:
      kind === 'suppressed' && onTakeOff ? (
        <Anchor component="button" type="button" size="sm" onClick={onTakeOff}>
          Remove from suppression list…
        </Anchor>
      ) : (
        <Content kind={kind} details={details} mayShowMail={may('GET /sends/{id}/mail')} />
      ),
  };
}

/** Where a run stands: what it waits for, and until when. */
function StillIn({ waiting_for, wakes_at, enrollment_id, sequence_key }: Details): ReactNode {
  const held = useCapOfRun(text(sequence_key), text(enrollment_id), isHeldByCap(text(waiting_for)));
  return text(waiting_for) ? (
    <>
      Still in it · <Waiting waitingFor={text(waiting_for)} wakesAt={text(wakes_at) || null} {...held} />
    </>
  ) : (
    'Still in it'
  );
}

function iconOf(icon: Icon, kind: TimelineEntry['kind'], { to }: Details, isBad: boolean): Icon {
  if (kind === 'mail_reported' && isBad) return IconAlertTriangle;
  return kind === 'consent_changed' && (to === 'unsubscribed' || to === 'bounced') ? IconUserMinus : icon;
}

/** Where what an entry is about has a page of its own: its mail, or its run. */
function subjectPage(details: Details, may: Session['may']): string | undefined {
  const { send_id } = details;
  if (typeof send_id === 'string') return may('GET /sends/{id}') ? inConsole(`/sends/${encodeURIComponent(send_id)}`) : undefined;
  if (typeof details.campaign_id === 'string') return inConsole(`/campaigns/${details.campaign_id}`);
  return runPage(details, may);
}

function Content({ kind, details, mayShowMail }: Pick<TimelineEntry, 'kind' | 'details'> & { readonly mayShowMail: boolean }): ReactNode {
  if (kind === 'mail_sent' && typeof details.send_id === 'string' && details.template !== null && mayShowMail) {
    return <SentMail sendId={details.send_id} title={text(details.subject) || text(details.template)} isQuiet />;
  }
  if (kind !== 'event' || !hasContent(details.data)) return null;
  return (
    <details>
      <summary>Data</summary>
      <Json value={details.data} label={`Data of the event ${text(details.type)}`} />
    </details>
  );
}

function subjectOf({ subject, template }: Details): ReactNode {
  return strong(text(subject) ? `“${text(subject)}”` : templateOf(template));
}

function templateOf(template: unknown): string {
  return madeOf(typeof template === 'string' ? template : null);
}

function LeftOutCampaign({ of: { campaign_name, template } }: { readonly of: Details }): ReactNode {
  const templateName = useTemplateNames(text(campaign_name) === '');
  return strong(text(campaign_name) || templateName(text(template)));
}

function strong(value: unknown): ReactNode {
  return (
    <Text span inherit fw={500}>
      {text(value)}
    </Text>
  );
}

function hasContent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
