import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Allowed } from '../../frame/not-here.tsx';
import { CampaignList } from './campaign-list.tsx';
import { CampaignPage } from './campaign-page.tsx';
import { CAMPAIGN_LIST, campaignsQuery } from './campaign-queries.ts';
import { LeftOutPage } from './left-out-page.tsx';
import { NewCampaign } from './new-campaign.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(campaignsQuery({}));
}

export default function CampaignsSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <CampaignList />
      </Route>
      <Route path="/new">
        <Allowed title="New campaign" back={CAMPAIGN_LIST} deed="write campaigns" operation="POST /campaigns">
          <NewCampaign />
        </Allowed>
      </Route>
      <Route path="/:id/left-out">
        {({ id }) => (
          <Allowed title="Left out" back={CAMPAIGN_LIST} deed="read contacts" operation="GET /campaigns/{id}/people">
            <LeftOutPage key={id} id={id} />
          </Allowed>
        )}
      </Route>
      <Route path="/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
    </Switch>
  );
}
