import { Alert, Anchor, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { inConsole } from '../../base.ts';
import { Detail, DetailSkeleton, Fact, Facts, Panel } from '../../frame/detail.tsx';
import { List } from '../../frame/list.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { capitalized } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { durationWords } from '../../show/duration-words.ts';
import { Json } from '../../show/json.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { Time } from '../../show/time.tsx';
import { ApprovalNotice } from '../campaigns/approval.tsx';
import { AudienceName, useLacksSegment } from '../campaigns/audience-name.tsx';
import { CAMPAIGN_COLUMNS } from '../campaigns/campaign-columns.tsx';
import { campaignsQuery, pageOf } from '../campaigns/campaign-queries.ts';
import { testWords } from '../campaigns/test-draft.ts';
import { Warnings } from '../templates/preview-notes.tsx';
import { templateHref } from '../templates/template-queries.ts';
import { TopicName } from '../topics/topic-name.tsx';
import { RecurringActions } from './recurring-actions.tsx';
import { useRecurringNames } from './recurring-name.ts';
import { RECURRING, RECURRING_LIST, recurringQuery, savedWarningsKey, type Warning, type WholeRecurring } from './recurring-queries.ts';
import { RecurringStatus } from './recurring-status.tsx';
import { NextRuns } from './rule-preview.tsx';
import { hasFailed, outcomeWords } from './run-words.ts';
import { Runs } from './runs.tsx';

/** One recurring campaign: when it runs, what its runs came to, and the campaigns that it made. */
export function RecurringPage({ id }: { readonly id: string }): ReactNode {
  const { data: recurring, error, refetch } = useQuery(recurringQuery(id));
  const nameOf = useRecurringNames();
  return (
    <Page
      title={recurring ? nameOf(recurring) : error ? 'Recurring campaign' : undefined}
      beside={
        recurring ? (
          <>
            <RecurringStatus recurring={recurring} />
            {recurring.sandboxed ? <Sandboxed what="campaign" /> : null}
          </>
        ) : undefined
      }
      description={recurring ? capitalized(recurring.in_words) : undefined}
      back={RECURRING_LIST}
      actions={recurring ? <RecurringActions recurring={recurring} /> : undefined}
    >
      {error ? <Unread error={error} onRetry={refetch} what="recurring campaign" back={RECURRING_LIST} /> : null}
      {recurring ? (
        <Detail
          main={
            <>
              <SavedWarnings id={id} />
              <Approval recurring={recurring} />
              <Problems recurring={recurring} />
              <Upcoming recurring={recurring} />
              <Campaigns id={id} />
              <Runs id={id} />
              {Object.keys(recurring.data).length > 0 ? (
                <Panel title="Data">
                  <Json value={recurring.data} label="Data" />
                </Panel>
              ) : null}
            </>
          }
          aside={<About recurring={recurring} />}
        />
      ) : error ? null : (
        <DetailSkeleton />
      )}
    </Page>
  );
}

/** What the API warned of when it was saved here a moment ago. */
function SavedWarnings({ id }: { readonly id: string }): ReactNode {
  const { data = [] } = useQuery<readonly Warning[]>({
    queryKey: savedWarningsKey(id),
    queryFn: () => [],
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data.length > 0 ? <Warnings warnings={data} /> : null;
}

function Approval({ recurring }: { readonly recurring: WholeRecurring }): ReactNode {
  const { key, project } = useSession();
  const queries = useQueryClient();
  const params = { path: { id: recurring.id }, query: { ifVersion: recurring.version } };
  const approve = useMutation({
    mutationFn: () => answerOf(api.POST('/recurring-campaigns/{id}/approve', { params })),
    onSettled: () => queries.invalidateQueries({ queryKey: RECURRING }),
  });
  if (!recurring.needs_approval && !(project.campaign_approval && recurring.approved_at && recurring.status !== 'ended')) return null;
  return (
    <ApprovalNotice
      standing={recurring}
      operation="POST /recurring-campaigns/{id}/approve"
      revoked="It holds for all of its campaigns. Any change revokes it; its template and contacts can still change."
      isOwn={recurring.changed_by?.id === key.id}
      approve={approve}
    />
  );
}

/** Why its last run made no campaign, or the next one will make none. */
function Problems({ recurring }: { readonly recurring: WholeRecurring }): ReactNode {
  const { last_run: run, status } = recurring;
  const lacksSegment = useLacksSegment(recurring.audience);
  if (status === 'ended') return null;
  return (
    <>
      {run && hasFailed(run) ? (
        <Alert color="orange" title="The last run made no campaign" role="status">
          <Time at={run.due_at} isExact />. {outcomeWords(run)}. The next run goes on.
        </Alert>
      ) : null}
      {lacksSegment ? (
        <Alert color="orange" title="Its segment was deleted" role="status">
          Its runs make no campaign until you choose another audience.
        </Alert>
      ) : null}
    </>
  );
}

/** The next instants; of one that is paused, as if it was resumed now. */
function Upcoming({ recurring: { status, next_runs, end_reason } }: { readonly recurring: WholeRecurring }): ReactNode {
  return (
    <Panel title="Next runs">
      {status === 'ended' ? (
        <Text size="sm" c="dimmed">
          {END_REASONS[end_reason ?? 'deleted']}
        </Text>
      ) : (
        <>
          {status === 'paused' ? <Text size="sm">Paused: no campaign is created. These come if you resume it now.</Text> : null}
          {next_runs.length > 0 ? (
            <NextRuns runs={next_runs} />
          ) : (
            <Text size="sm" c="dimmed">
              None
            </Text>
          )}
        </>
      )}
    </Panel>
  );
}

const END_REASONS: Readonly<Record<NonNullable<WholeRecurring['end_reason']>, string>> = {
  deleted: 'It was ended. No further campaign is created.',
  until: 'Its end date has come. No further campaign is created.',
  count: 'It has created all of its campaigns.',
};

/** Those that it made, each with its counts. */
function Campaigns({ id }: { readonly id: string }): ReactNode {
  const { may } = useSession();
  const position = usePosition();
  const { data, error, isPlaceholderData, refetch } = useQuery(campaignsQuery({ recurringId: id, limit: CAMPAIGNS_AT_ONCE, ...position }));
  const paging = usePaging(data);
  return (
    <Stack gap="xs" component="section">
      <Title order={2}>Campaigns</Title>
      <List
        label="Campaigns"
        columns={CAMPAIGN_COLUMNS}
        rows={data?.campaigns}
        rowKey={({ id: campaign }) => campaign}
        rowLink={(campaign) => inConsole(`/campaigns${pageOf(campaign, may('PATCH /campaigns/{id}'))}`)}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={{ title: 'No campaigns yet', text: 'Each run creates a campaign of its own, with its own counts.' }}
      />
    </Stack>
  );
}

const CAMPAIGNS_AT_ONCE = 20;

function About({ recurring }: { readonly recurring: WholeRecurring }): ReactNode {
  const { recurrence, ends_after_minutes, rate_per_second } = recurring;
  return (
    <Panel title="Recurring campaign">
      <Facts>
        <Fact name="Id">
          <CopiedId value={recurring.id} name="recurring campaign id" />
        </Fact>
        <Fact name="Schedule in Temporal">
          <CopiedId value={recurring.schedule_id} name="schedule id" />
        </Fact>
        <Fact name="Template">
          <Anchor component={Link} href={inConsole(`/templates${templateHref(recurring.template, recurring.brand ?? undefined)}`)} inherit>
            {recurring.template}
          </Anchor>
        </Fact>
        <Fact name="Subject">{recurring.subject ?? "The template's subject"}</Fact>
        <Fact name="Brand">{recurring.brand}</Fact>
        <Fact name="Topic">{recurring.topic && <TopicName topic={recurring.topic} />}</Fact>
        <Fact name="For">
          <AudienceName audience={recurring.audience} />
        </Fact>
        <Fact name="A/B test">{recurring.variants?.map(({ key }) => key).join(', ')}</Fact>
        <Fact name="Winner">{recurring.test && testWords(recurring.test)}</Fact>
        <Fact name="Goal">{recurring.goal?.event}</Fact>
        <Fact name="Stop sending after">{ends_after_minutes === null ? null : durationWords(ends_after_minutes)}</Fact>
        <Fact name="Throttle">{rate_per_second === null ? null : `${rate_per_second.toLocaleString('en')} per second`}</Fact>
        <Fact name="Start date">{recurrence.from ? <Time at={recurrence.from} isExact /> : null}</Fact>
        <Fact name="End date">{recurrence.until ? <Time at={recurrence.until} isExact /> : null}</Fact>
        <Fact name="Number of campaigns">
          {recurring.campaigns.toLocaleString('en')}
          {recurrence.count === null ? '' : ` of ${recurrence.count.toLocaleString('en')}`}
        </Fact>
        <Fact name="Created">
          <Time at={recurring.created_at} />
        </Fact>
        <Fact name="Changed">
          <Time at={recurring.changed_at} />
          {recurring.changed_by?.name ? `, by ${recurring.changed_by.name}` : ''}
        </Fact>
        {recurring.ended_at ? (
          <Fact name="Ended">
            <Time at={recurring.ended_at} />
          </Fact>
        ) : null}
      </Facts>
    </Panel>
  );
}
