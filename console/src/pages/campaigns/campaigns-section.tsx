import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch, useRoute } from 'wouter';
import { Allowed, NotHere } from '../../frame/not-here.tsx';
import { CampaignList } from './campaign-list.tsx';
import { CampaignPage } from './campaign-page.tsx';
import { CAMPAIGN_LIST, campaignsQuery } from './campaign-queries.ts';
import { LeftOutPage } from './left-out-page.tsx';
import { WriteCampaign } from './write-campaign.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(campaignsQuery({}));
}

export default function CampaignsSection(): ReactNode {
  const [isNew] = useRoute('/new');
  const [isEdit, edited] = useRoute('/:id/edit');
  // One place in the tree for both: a new campaign becomes a draft with an address while it is typed.
  if (isNew || isEdit) {
    return (
      <Allowed
        title={isNew ? 'New campaign' : 'Campaign'}
        back={CAMPAIGN_LIST}
        deed="write campaigns"
        operation={isNew ? 'POST /campaigns' : 'PATCH /campaigns/{id}'}
      >
        <WriteCampaign id={isEdit ? edited.id : undefined} />
      </Allowed>
    );
  }
  return (
    <Switch>
      <Route path="/">
        <CampaignList />
      </Route>
      <Route path="/:id/left-out">
        {({ id }) => (
          <Allowed title="Left out" back={CAMPAIGN_LIST} deed="read contacts" operation="GET /campaigns/{id}/people">
            <LeftOutPage key={id} id={id} />
          </Allowed>
        )}
      </Route>
      <Route path="/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
