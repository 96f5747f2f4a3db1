import { Alert, Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, Redirect } from 'wouter';
import { inConsole } from '../../base.ts';
import { Detail, DetailSkeleton, Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { capitalized } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { DomainLink } from '../../show/domain-link.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Json } from '../../show/json.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { choiceWords, windowWords } from '../../show/send-window-words.ts';
import { Time } from '../../show/time.tsx';
import { RecurringLink } from '../recurring/recurring-link.tsx';
import { templateHref } from '../templates/template-queries.ts';
import { TopicName } from '../topics/topic-name.tsx';
import { Approval } from './approval.tsx';
import { AudienceName, useLacksSegment } from './audience-name.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { useCampaignName } from './campaign-name.ts';
import { CampaignProgress } from './campaign-progress.tsx';
import {
  CAMPAIGN_LIST,
  type Campaign,
  type CountedCampaign,
  campaignMadeQuery,
  campaignQuery,
  hasEnded,
  pageOf,
  wholeCampaignQuery,
} from './campaign-queries.ts';
import { CampaignStatus } from './campaign-status.tsx';
import { ExportPeople } from './export-people.tsx';
import { LeftOutReasons } from './left-out-reasons.tsx';
import { leftOutCount } from './left-out-words.ts';
import { localScheduleWords } from './local-start.ts';
import { NewestSends } from './newest-sends.tsx';
import { type CampaignReason, reasonWords } from './reason-words.ts';
import { Results } from './results.tsx';
import { SampleMail, SubjectWords } from './sample-mail.tsx';
import { VariantResults } from './variant-results.tsx';
import { ZonesPanel } from './zones-panel.tsx';

/** One campaign: how far it is, and what its mails led to. */
export function CampaignPage({ id }: { readonly id: string }): ReactNode {
  const { may } = useSession();
  const { data: campaign, error, refetch } = useQuery(campaignQuery(id));
  const title = useCampaignName(campaign);
  const [cancelledJobs, setCancelledJobs] = useState<number>();
  const [failed, setFailed] = useState<unknown>(null);
  if (campaign?.status === 'draft' && may('PATCH /campaigns/{id}')) return <Redirect to={pageOf(campaign, true)} replace />;
  return (
    <Page
      title={title ?? (error ? 'Campaign' : undefined)}
      beside={campaign ? <Beside campaign={campaign} /> : undefined}
      back={CAMPAIGN_LIST}
      actions={
        campaign ? (
          <>
            {hasBegun(campaign) ? <ExportPeople id={campaign.id} /> : null}
            <CampaignActions campaign={campaign} onCancelled={setCancelledJobs} onFailed={setFailed} />
          </>
        ) : undefined
      }
    >
      {error ? (
        <Unread error={error} onRetry={refetch} what="campaign" back={CAMPAIGN_LIST} />
      ) : failed ? (
        <FailureNotice error={failed} />
      ) : null}
      {campaign ? (
        <Detail
          main={
            <>
              {cancelledJobs === undefined ? null : <Cancelled count={cancelledJobs} />}
              {campaign.status === 'scheduled' ? <ApprovalOf id={campaign.id} /> : null}
              {campaign.reason ? <Reason campaign={campaign} reason={campaign.reason} /> : null}
              <CampaignProgress campaign={campaign} />
              {(campaign.schedule || campaign.window_in_force) && hasBegun(campaign) ? <ZonesPanel campaign={campaign} /> : null}
              {hasBegun(campaign) ? (
                <Results campaign={campaign} />
              ) : campaign.variants ? (
                <VariantResults campaign={campaign} variants={campaign.variants} />
              ) : null}
              {may('GET /sends') ? <NewestSends campaign={campaign} /> : null}
              <DataGiven id={campaign.id} />
            </>
          }
          aside={
            <>
              <About campaign={campaign} />
              <SampleMail key={campaign.id} campaign={campaign} />
            </>
          }
        />
      ) : error ? null : (
        <DetailSkeleton />
      )}
    </Page>
  );
}

function hasBegun({ status }: Campaign): boolean {
  return status !== 'scheduled' && status !== 'draft';
}

/** Of a scheduled campaign that was changed where that needs it. */
function ApprovalOf({ id }: { readonly id: string }): ReactNode {
  const { project } = useSession();
  const { data: whole, refetch } = useQuery({ ...wholeCampaignQuery(id), enabled: project.campaign_approval });
  return whole ? <Approval whole={whole} onApproved={refetch} /> : null;
}

function Beside({ campaign }: { readonly campaign: Campaign }): ReactNode {
  return (
    <>
      <CampaignStatus campaign={campaign} />
      {campaign.sandboxed ? <Sandboxed what="campaign" /> : null}
    </>
  );
}

function DataGiven({ id }: { readonly id: string }): ReactNode {
  const { data: made, error, refetch } = useQuery(campaignMadeQuery(id));
  if (error) return <FailureNotice error={error} onRetry={refetch} />;
  if (!made || Object.keys(made.data).length === 0) return null;
  return (
    <Panel title="Data">
      <Json value={made.data} label="Data" />
    </Panel>
  );
}

function Cancelled({ count }: { readonly count: number }): ReactNode {
  return (
    <Alert color="gray" role="status" title="Cancelled">
      {count === 0
        ? 'All emails had already been sent.'
        : `${count.toLocaleString('en')} ${count === 1 ? 'recipient does' : 'recipients do'} not get it. Emails already sent are not recalled.`}
    </Alert>
  );
}

function Reason({ campaign, reason }: { readonly campaign: Campaign; readonly reason: CampaignReason }): ReactNode {
  const isOver = hasEnded(campaign);
  return (
    <Alert
      color={campaign.status === 'failed' ? 'red' : 'orange'}
      title={campaign.status === 'failed' ? 'Nothing sent' : isOver ? 'Ended early' : 'Waiting'}
    >
      {campaign.allowance ? <UsedAllowance allowance={campaign.allowance} /> : reasonWords(reason)}{' '}
      {reason === 'invalid_from' ? <DomainLink host="">Domains</DomainLink> : null}
    </Alert>
  );
}

/** Whose allowance of today is used, and when it goes on. */
function UsedAllowance({ allowance }: { readonly allowance: NonNullable<Campaign['allowance']> }): ReactNode {
  const { of, name, resumes_at } = allowance;
  return (
    <>
      Today's allowance of {of === 'domain' ? <DomainLink host={name}>{name}</DomainLink> : `the email provider ${name}`} is used. It goes
      on by itself at 00:00 UTC, <Time at={resumes_at} />.
    </>
  );
}

/** As people get it; of variants with subjects of their own that stand in their results. */
function Subject({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const { subject, variants } = campaign;
  const own = variants?.filter((variant) => variant.subject) ?? [];
  if (own.length > 0 && own.length === variants?.length) return 'By variant';
  return (
    <>
      {own.length > 0 ? 'By variant, else: ' : null}
      <SubjectWords campaign={campaign} subject={subject} />
    </>
  );
}

/** Who matched, who of them gets or has got it, and the way to the others. */
function AudienceCounts({ campaign }: { readonly campaign: CountedCampaign }): ReactNode {
  const { may } = useSession();
  const { id, audience_size, sent_count, left_out } = campaign;
  const leftOut = leftOutCount(left_out);
  const words = `${leftOut.toLocaleString('en')} left out`;
  return (
    <>
      {audience_size.toLocaleString('en')} matched,{' '}
      {hasEnded(campaign) ? `${sent_count.toLocaleString('en')} sent` : `${(audience_size - leftOut).toLocaleString('en')} may get it`}
      {leftOut === 0 ? null : ': '}
      {leftOut === 0 ? null : may('GET /campaigns/{id}/people') ? (
        <Anchor component={Link} href={`/${id}/left-out`} inherit underline="always">
          {`${words}\u00a0›`}
        </Anchor>
      ) : (
        words
      )}
      <LeftOutReasons campaign={campaign} />
    </>
  );
}

function About({ campaign }: { readonly campaign: CountedCampaign }): ReactNode {
  const lacksSegment = useLacksSegment(campaign.audience);
  return (
    <Panel title="Campaign">
      <Facts>
        <Fact name="Id">
          <CopiedId value={campaign.id} name="campaign id" />
        </Fact>
        {campaign.recurring_id ? (
          <Fact name="Made by">
            <RecurringLink id={campaign.recurring_id} />
          </Fact>
        ) : null}
        <Fact name="Template">
          {campaign.template ? (
            <Anchor component={Link} href={inConsole(`/templates${templateHref(campaign.template, campaign.brand_id)}`)} inherit>
              {campaign.template}
            </Anchor>
          ) : null}
        </Fact>
        <Fact name="Subject">
          <Subject campaign={campaign} />
        </Fact>
        <Fact name="Type">{capitalized(campaign.type)}</Fact>
        <Fact name="Brand">{campaign.brand_id}</Fact>
        <Fact name="Topic">{campaign.topic && <TopicName topic={campaign.topic} />}</Fact>
        <Fact name="For">
          <AudienceName audience={campaign.audience} />
        </Fact>
        <Fact name="Audience">
          {campaign.status !== 'scheduled' && campaign.status !== 'draft' ? (
            <AudienceCounts campaign={campaign} />
          ) : lacksSegment ? (
            'Nobody'
          ) : (
            'Counted when it starts'
          )}
        </Fact>
        <Fact name="Throttle">{campaign.rate_per_second ? `${campaign.rate_per_second.toLocaleString('en')} per second` : null}</Fact>
        <Fact name="Scheduled">
          {campaign.schedule ? (
            localScheduleWords(campaign.schedule)
          ) : campaign.scheduled_at ? (
            <Time at={campaign.scheduled_at} isExact />
          ) : null}
        </Fact>
        <Fact name="Send window">
          {campaign.window_in_force ? windowWords(campaign.window_in_force) : choiceWords(campaign.send_window)}
        </Fact>
        <Fact name="End date">{campaign.ends_at ? <Time at={campaign.ends_at} isExact /> : null}</Fact>
        <Fact name="Created">
          <Time at={campaign.created_at} />
        </Fact>
        {campaign.status === 'cancelled' ? (
          <Fact name="Cancelled">{campaign.cancelled_at ? <Time at={campaign.cancelled_at} /> : null}</Fact>
        ) : (
          <Fact name="Completed">{campaign.sent_at ? <Time at={campaign.sent_at} /> : null}</Fact>
        )}
      </Facts>
    </Panel>
  );
}
