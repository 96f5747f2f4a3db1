import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useSession } from '../../session/session.tsx';
import { CampaignList } from './campaign-list.tsx';
import { CampaignPage } from './campaign-page.tsx';
import { NewCampaign } from './new-campaign.tsx';

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
