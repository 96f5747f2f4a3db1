import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import type { Issue } from '../../api/failure.ts';
import { problemAt } from '../../api/issues.ts';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { dataOf } from '../templates/data-fields.tsx';
import { TemplatePreview } from '../templates/template-preview.tsx';
import { type MailData, templatePreviewQuery, templateSchemaQuery } from '../templates/template-queries.ts';
import { TestMail } from '../templates/test-mail.tsx';
import { useAudienceSize } from './audience-count.tsx';
import { AudienceEditor } from './audience-editor.tsx';
import { type CampaignDraft, EMPTY_CAMPAIGN, inputOf, problemsAfter } from './campaign-draft.ts';
import classes from './campaigns.module.css';
import { MailEditor } from './mail-editor.tsx';
import { ScheduleEditor } from './schedule-editor.tsx';
import { SendCampaign } from './send-campaign.tsx';
import { VariantsEditor } from './variants-editor.tsx';

const NO_ISSUES: readonly Issue[] = [];

/** Writes a campaign and sends it. */
export function NewCampaign(): ReactNode {
  const { may } = useSession();
  const [draft, setDraft] = useState(EMPTY_CAMPAIGN);
  const [issues, setIssues] = useState(NO_ISSUES);
  const [isAsked, setIsAsked] = useState(false);
  const size = useAudienceSize(draft);
  const brand = draft.brand ?? undefined;
  const { data: schema } = useQuery({ ...templateSchemaQuery(draft.template ?? '', brand), enabled: draft.template !== null });
  const fields = draft.template !== null && schema ? schema.dataSchema : [];
  const { data } = dataOf(fields, draft.data);
  const empty = fields.filter(({ path, used = true }) => used && !draft.data[path]).map(({ path }) => path);
  const { body, lacks } = inputOf(draft, fields);
  const set = (change: Partial<CampaignDraft>): void => {
    setDraft({ ...draft, ...change });
    setIssues(problemsAfter(issues, change));
  };
  const problemOf = (path: string): string | undefined => problemAt(issues, path);
  useLeaveGuard(draft !== EMPTY_CAMPAIGN);
  return (
    <Page
      title="New campaign"
      back={{ to: '/', label: 'Campaigns' }}
      description={<span role="status">{lacks ? `Next: ${lacks.charAt(0).toLowerCase()}${lacks.slice(1)}` : 'Ready'}</span>}
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
      <div className={classes.writing}>
        <div className={classes.written}>
          <MailEditor draft={draft} fields={fields} problemOf={problemOf} onChange={set} />
          <AudienceEditor draft={draft} size={size} problemOf={problemOf} onChange={set} />
          <ScheduleEditor draft={draft} problemOf={problemOf} onChange={set} />
          <VariantsEditor variants={draft.variants} problemOf={problemOf} onChange={(variants) => set({ variants })} />
        </div>
        <Preview template={draft.template} brand={brand} data={data} subject={draft.subject.trim()} />
      </div>
      {body ? (
        <SendCampaign body={body} size={size} empty={empty} opened={isAsked} onClose={() => setIsAsked(false)} onRefused={setIssues} />
      ) : null}
    </Page>
  );
}

const TYPING_MS = 400;

interface PreviewGiven {
  readonly template: string | null;
  readonly brand: string | undefined;
  readonly data: MailData;
  /** Empty: the template's own. */
  readonly subject: string;
}

/** The mail as it would go out now. */
function Preview({ template, brand, data, subject }: PreviewGiven): ReactNode {
  const asked = JSON.stringify({ data, subject });
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const previewed = useMemo(() => JSON.parse(settled) as { readonly data: MailData; readonly subject: string }, [settled]);
  const preview = useQuery({
    ...templatePreviewQuery(template ?? '', { ...previewed, brand, version: 'published' }),
    enabled: template !== null,
  });
  return (
    <TemplatePreview
      preview={template === null ? undefined : preview.data}
      isChanging={template !== null && (preview.isFetching || asked !== settled)}
      error={preview.error}
      onRetry={preview.refetch}
      first="phone"
      instead="Choose a template to see its mail."
    />
  );
}
