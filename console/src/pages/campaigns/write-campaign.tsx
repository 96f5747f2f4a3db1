import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { Redirect, useLocation } from 'wouter';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { SAME_PAGE } from '../../frame/same-page.ts';
import { useSession } from '../../session/session.tsx';
import { templateSchemaQuery } from '../templates/template-queries.ts';
import { draftOfCampaign, EMPTY_CAMPAIGN } from './campaign-draft.ts';
import { CampaignForm } from './campaign-form.tsx';
import { CAMPAIGN_LIST, campaignPeopleQuery, wholeCampaignQuery } from './campaign-queries.ts';

/** Writes a new campaign, which is a draft with an address of its own from its first words on, or one that can be changed. */
export function WriteCampaign({ id }: { readonly id: string | undefined }): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [made, setMade] = useState<string>();
  const [times, setTimes] = useState(0);
  // What is typed stays while the address changes to that of the draft.
  if (id === undefined || id === made) {
    const onMade = (draft: string): void => {
      flushSync(() => setMade(draft));
      navigate(`/${draft}/edit`, { replace: true, state: SAME_PAGE });
    };
    return <CampaignForm whole={undefined} first={EMPTY_CAMPAIGN} onMade={onMade} onAnew={() => setMade(undefined)} />;
  }
  const onAnew = (): void => {
    queries.removeQueries({ queryKey: wholeCampaignQuery(id).queryKey });
    setTimes(times + 1);
  };
  return <Opened key={`${id} ${times}`} id={id} onMade={(draft) => navigate(`/${draft}/edit`, { replace: true })} onAnew={onAnew} />;
}

interface OpenedGiven {
  readonly id: string;
  /** Told the id of the draft that took its place. */
  readonly onMade: (id: string) => void;
  readonly onAnew: () => void;
}

function Opened({ id, onMade, onAnew }: OpenedGiven): ReactNode {
  const { may } = useSession();
  const whole = useQuery(wholeCampaignQuery(id));
  const { campaign } = whole.data ?? {};
  const isList = campaign?.audience.mode === 'people' && campaign.audience.count > 0;
  const mayRead = may('GET /campaigns/{id}/people');
  const people = useQuery({ ...campaignPeopleQuery(id), enabled: isList && mayRead, staleTime: 0 });
  const template = campaign?.template;
  // A draft may name a template that is no more: then nothing is known of what it takes.
  const schema = useQuery({
    ...templateSchemaQuery(template ?? '', whole.data?.draft?.brand ?? undefined),
    enabled: Boolean(template),
    retry: false,
  });
  const error = whole.error ?? people.error;
  const isRead = (!isList || !mayRead || people.data) && (!template || schema.data || schema.error);
  if (whole.data && !whole.data.draft) return <Redirect to={`/${id}`} replace />;
  if (whole.data && isRead && !whole.isFetching) {
    const first = draftOfCampaign(whole.data, { people: people.data ?? [], schema: schema.data });
    return <CampaignForm whole={whole.data} first={first} lacksPeople={isList && !mayRead} onMade={onMade} onAnew={onAnew} />;
  }
  return (
    <Page title={error ? 'Campaign' : undefined} back={CAMPAIGN_LIST}>
      {error ? (
        <Unread
          error={error}
          onRetry={() => void Promise.all([whole.refetch(), ...(people.error ? [people.refetch()] : [])])}
          what="campaign"
          back={CAMPAIGN_LIST}
        />
      ) : null}
    </Page>
  );
}
