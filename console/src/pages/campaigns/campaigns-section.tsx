import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useSession } from '../../session/session.tsx';
import { CampaignList } from './campaign-list.tsx';
import { CampaignPage } from './campaign-page.tsx';
import { campaignsQuery } from './campaign-queries.ts';
import { NewCampaign } from './new-campaign.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(campaignsQuery({}));
}

export default function CampaignsSection(): ReactNode {
  const { may } = useSession();
  return (
    <Switch>
      <Route path="/">
        <CampaignList />
      </Route>
      {may('campaigns:write') ? (
        <Route path="/new">
          <NewCampaign />
        </Route>
      ) : null}
      <Route path="/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
    </Switch>
  );
}
