import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Detail } from '../../frame/detail.tsx';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { dataOf } from '../templates/data-fields.tsx';
import { templateSchemaQuery } from '../templates/template-queries.ts';
import { TestMail } from '../templates/test-mail.tsx';
import { AudienceCount } from './audience-count.tsx';
import { AudienceEditor } from './audience-editor.tsx';
import { type CampaignDraft, EMPTY_CAMPAIGN, inputOf } from './campaign-draft.ts';
import { CampaignPreview } from './campaign-preview.tsx';
import { MailEditor } from './mail-editor.tsx';
import { ScheduleEditor } from './schedule-editor.tsx';
import { SendCampaign } from './send-campaign.tsx';
import { VariantsEditor } from './variants-editor.tsx';

/** Writes a campaign and sends it. */
export function NewCampaign(): ReactNode {
  const { may } = useSession();
  const [draft, setDraft] = useState(EMPTY_CAMPAIGN);
  const [isAsked, setIsAsked] = useState(false);
  const [isSent, setIsSent] = useState(false);
  const brand = draft.brand ?? undefined;
  const { data: schema } = useQuery({ ...templateSchemaQuery(draft.template ?? '', brand), enabled: draft.template !== null });
  const fields = draft.template !== null && schema ? schema.dataSchema : [];
  const { data } = dataOf(fields, draft.data);
  const { body, lacks } = inputOf(draft, fields);
  const set = (change: Partial<CampaignDraft>): void => setDraft({ ...draft, ...change });
  useLeaveGuard(draft !== EMPTY_CAMPAIGN && !isSent);
  return (
    <Page
      title="New campaign"
      back={{ to: '/', label: 'Campaigns' }}
      description={lacks}
      actions={
        <>
          {draft.template && may('send') ? (
            <TestMail
              template={draft.template}
              brand={brand}
              data={data}
              note="It has the template's own subject, and the draft of its content if there is one."
            />
          ) : null}
          <Button disabled={!body} onClick={() => setIsAsked(true)}>
            {draft.startsLater ? 'Schedule…' : 'Send now…'}
          </Button>
        </>
      }
    >
      <Detail
        main={
          <>
            <MailEditor draft={draft} fields={fields} onChange={set} />
            <AudienceEditor draft={draft} onChange={set} />
            <ScheduleEditor draft={draft} onChange={set} />
            <VariantsEditor variants={draft.variants} onChange={(variants) => set({ variants })} />
          </>
        }
        aside={
          <>
            <AudienceCount draft={draft} />
            {draft.template ? <CampaignPreview template={draft.template} brand={brand} data={data} /> : null}
          </>
        }
      />
      {body ? <SendCampaign body={body} opened={isAsked} onClose={() => setIsAsked(false)} onSent={() => setIsSent(true)} /> : null}
    </Page>
  );
}
