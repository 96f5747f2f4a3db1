import { Alert, Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Detail, Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Json } from '../../show/json.tsx';
import { Time } from '../../show/time.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignProgress } from './campaign-progress.tsx';
import { type Campaign, type CampaignWithData, campaignQuery, hasEnded, nameOfCampaign } from './campaign-queries.ts';
import { CampaignStatus } from './campaign-status.tsx';
import { reasonWords } from './reason-words.ts';
import { SampleSubject } from './sample-subject.tsx';
import { VariantResults } from './variant-results.tsx';

/** One campaign: how far it is, and what its mails led to. */
export function CampaignPage({ id }: { readonly id: string }): ReactNode {
  const { data: campaign, error, refetch } = useQuery(campaignQuery(id));
  const [cancelledJobs, setCancelledJobs] = useState<number>();
  const [failed, setFailed] = useState<unknown>(null);
  return (
    <Page
      title={campaign ? nameOfCampaign(campaign) : error ? 'Campaign' : undefined}
      beside={campaign ? <CampaignStatus campaign={campaign} /> : undefined}
      back={{ to: '/', label: 'Campaigns' }}
      actions={campaign ? <CampaignActions campaign={campaign} onCancelled={setCancelledJobs} onFailed={setFailed} /> : undefined}
    >
      {error ? <FailureNotice error={error} onRetry={refetch} /> : failed ? <FailureNotice error={failed} /> : null}
      {campaign ? (
        <Detail
          main={
            <>
              {cancelledJobs === undefined ? null : <Cancelled count={cancelledJobs} />}
              {campaign.reason ? <Reason campaign={campaign} reason={campaign.reason} /> : null}
              <CampaignProgress campaign={campaign} />
              {Object.keys(campaign.data).length > 0 ? (
                <Panel title="Data given">
                  <Json value={campaign.data} label="Data given" />
                </Panel>
              ) : null}
              {campaign.variants ? <VariantResults variants={campaign.variants} subject={campaign.subject} /> : null}
            </>
          }
          aside={<About campaign={campaign} />}
        />
      ) : null}
    </Page>
  );
}

function Cancelled({ count }: { readonly count: number }): ReactNode {
  return (
    <Alert color="gray" role="status" title="Cancelled">
      {count === 0
        ? 'Every mail had gone out already.'
        : `${count.toLocaleString('en')} ${count === 1 ? 'recipient does' : 'recipients do'} not get it. Mails that had gone out are not recalled.`}
    </Alert>
  );
}

function Reason({ campaign, reason }: { readonly campaign: Campaign; readonly reason: string }): ReactNode {
  const isOver = hasEnded(campaign);
  return (
    <Alert
      color={campaign.status === 'failed' ? 'red' : 'orange'}
      title={campaign.status === 'failed' ? 'Nothing was sent' : isOver ? 'Ended early' : 'Waiting'}
    >
      {reasonWords(reason)}
    </Alert>
  );
}

function About({ campaign }: { readonly campaign: CampaignWithData }): ReactNode {
  const { may } = useSession();
  return (
    <Panel title="Campaign">
      <Facts>
        <Fact name="Id">
          <CopiedId value={campaign.id} name="campaign id" />
        </Fact>
        <Fact name="Template">
          <Anchor
            component={Link}
            href={inConsole(`/templates/${encodeURIComponent(campaign.template)}?brand=${campaign.brand_id}`)}
            inherit
          >
            {campaign.template}
          </Anchor>
        </Fact>
        <Fact name="Subject">
          <SampleSubject campaign={campaign} />
        </Fact>
        <Fact name="Type">{campaign.type}</Fact>
        <Fact name="Brand">{campaign.brand_id}</Fact>
        <Fact name="Audience">
          {campaign.audience_size.toLocaleString('en')} matched, {campaign.total_recipients.toLocaleString('en')} may get mail
        </Fact>
        <Fact name="Rate">{campaign.rate_per_second ? `at most ${campaign.rate_per_second.toLocaleString('en')} a second` : null}</Fact>
        <Fact name="Scheduled">{campaign.scheduled_at ? <Time at={campaign.scheduled_at} /> : null}</Fact>
        <Fact name="Ends">{campaign.ends_at ? <Time at={campaign.ends_at} /> : null}</Fact>
        <Fact name="Created">
          <Time at={campaign.created_at} />
        </Fact>
        <Fact name="Completed">{campaign.sent_at ? <Time at={campaign.sent_at} /> : null}</Fact>
      </Facts>
      {may('sends:read') ? (
        <Text size="sm" mt="sm">
          <Anchor component={Link} href={inConsole(`/sends?sourceType=campaign&sourceId=${campaign.id}`)} inherit>
            All mails of this campaign
          </Anchor>
        </Text>
      ) : null}
    </Panel>
  );
}
