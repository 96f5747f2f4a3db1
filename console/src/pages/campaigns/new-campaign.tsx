import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Issue } from '../../api/failure.ts';
import { problemAt } from '../../api/issues.ts';
import { useForm } from '../../frame/form.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { dataOf } from '../templates/data-fields.tsx';
import { type MailSubject, SubjectChoice } from '../templates/subject-choice.tsx';
import { TemplatePreview } from '../templates/template-preview.tsx';
import { type MailData, templatePreviewQuery, templateSchemaQuery, templatesQuery } from '../templates/template-queries.ts';
import { TestMail } from '../templates/test-mail.tsx';
import { useAudienceSize } from './audience-count.tsx';
import { AudienceEditor } from './audience-editor.tsx';
import {
  type CampaignDraft,
  campaignFaults,
  draftOfCampaign,
  EMPTY_CAMPAIGN,
  inputOf,
  mailSubjects,
  problemsAfter,
} from './campaign-draft.ts';
import { CAMPAIGN_LIST, campaignMadeQuery, campaignPeopleQuery, campaignQuery } from './campaign-queries.ts';
import classes from './campaigns.module.css';
import { MailEditor } from './mail-editor.tsx';
import { ScheduleEditor } from './schedule-editor.tsx';
import { SendCampaign } from './send-campaign.tsx';
import { VariantsEditor } from './variants-editor.tsx';

const FORM = 'new-campaign';
const NO_ISSUES: readonly Issue[] = [];

/** Writes a campaign and sends it. A link may ask for a copy of another: `?from=<id>`. */
export function NewCampaign(): ReactNode {
  const [search] = useSearchParams();
  const from = search.get('from');
  return from ? <CopyOf key={from} id={from} /> : <Writing first={EMPTY_CAMPAIGN} />;
}

function CopyOf({ id }: { readonly id: string }): ReactNode {
  const { brands, may } = useSession();
  const campaign = useQuery({ ...campaignQuery(id), refetchInterval: false });
  const made = useQuery(campaignMadeQuery(id));
  const isList = campaign.data?.audience.mode === 'people';
  const people = useQuery({ ...campaignPeopleQuery(id), enabled: isList && may('GET /campaigns/{id}/people') });
  const lacksPeople = isList && !may('GET /campaigns/{id}/people');
  const brand = campaign.data?.brand_id;
  const templates = useQuery({ ...templatesQuery(brand), enabled: brand !== undefined });
  const template = templates.data?.find(({ key, enabled }) => enabled && key === campaign.data?.template);
  const schema = useQuery({ ...templateSchemaQuery(template?.key ?? '', brand), enabled: template !== undefined });
  const error = campaign.error ?? made.error ?? people.error ?? templates.error ?? schema.error;
  const isRead = templates.data && (!template || schema.data);
  if (campaign.data && made.data && isRead && (!isList || lacksPeople || people.data)) {
    const first = draftOfCampaign({
      ...{ campaign: campaign.data, made: made.data, people: people.data ?? [], schema: schema.data },
      templateSubject: template?.subject || (schema.data?.subject ?? ''),
      defaultBrand: brands.find(({ is_default }) => is_default)?.slug,
    });
    return <Writing first={first} lacksPeople={lacksPeople} />;
  }
  return (
    <Page title="New campaign" back={CAMPAIGN_LIST}>
      {error ? (
        <Unread
          error={error}
          onRetry={() =>
            void Promise.all([campaign.refetch(), made.refetch(), templates.refetch(), ...(people.error ? [people.refetch()] : [])])
          }
          what="campaign"
          back={CAMPAIGN_LIST}
        />
      ) : null}
    </Page>
  );
}

interface WritingGiven {
  /** What stands in the form to begin with. */
  readonly first: CampaignDraft;
  /** It is a copy for people whose addresses the key may not read. */
  readonly lacksPeople?: boolean;
}

function Writing({ first: given, lacksPeople = false }: WritingGiven): ReactNode {
  const { may } = useSession();
  const [first] = useState(given);
  const [draft, setDraft] = useState(first);
  const [issues, setIssues] = useState(NO_ISSUES);
  const [isAsked, setIsAsked] = useState(false);
  const size = useAudienceSize(draft);
  const brand = draft.brand ?? undefined;
  const { data: schema } = useQuery({ ...templateSchemaQuery(draft.template ?? '', brand), enabled: draft.template !== null });
  const fields = draft.template !== null && schema ? schema.dataSchema : [];
  const data = dataOf(fields, draft.data);
  const empty = fields.filter(({ path, used = true }) => used && !draft.data[path]).map(({ path }) => path);
  const body = inputOf(draft, fields);
  const set = (change: Partial<CampaignDraft>): void => {
    setDraft({ ...draft, ...change });
    setIssues(problemsAfter(issues, change));
  };
  const { props, errorOf } = useForm({
    faults: campaignFaults(draft, fields),
    // The question that follows makes the call, and says what went wrong.
    error: null,
    isPending: false,
    isUnsaved: draft !== first,
    onSubmit: () => setIsAsked(true),
  });
  const problemOf = (path: string): string | undefined => errorOf(path) ?? problemAt(issues, path);
  return (
    <Page
      title="New campaign"
      isLong
      back={CAMPAIGN_LIST}
      actions={
        <>
          {draft.template && may('POST /templates/{key}/test') ? (
            <TestMail
              template={draft.template}
              brand={brand}
              data={data}
              note="It is what the campaign would send now: what is published, with the campaign's subject."
              version="published"
              subjects={mailSubjects(draft)}
            />
          ) : null}
          <Button type="submit" form={FORM}>
            {draft.startsLater ? 'Schedule…' : 'Send now…'}
          </Button>
        </>
      }
    >
      <div className={classes.writing}>
        <form id={FORM} {...props} className={classes.written}>
          <MailEditor draft={draft} fields={fields} problemOf={problemOf} onChange={set} />
          <AudienceEditor draft={draft} size={size} lacksPeople={lacksPeople} problemOf={problemOf} onChange={set} />
          <ScheduleEditor draft={draft} problemOf={problemOf} onChange={set} />
          <VariantsEditor
            variants={draft.variants}
            subject={draft.subject}
            problemOf={problemOf}
            onChange={(variants) => set({ variants })}
          />
        </form>
        <Preview template={draft.template} brand={brand} data={data} subjects={mailSubjects(draft)} />
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
  readonly subjects: readonly MailSubject[];
}

/** The mail as it would go out now, of one variant where there are several. */
function Preview({ template, brand, data, subjects }: PreviewGiven): ReactNode {
  const [variant, setVariant] = useState(0);
  // The last may have been taken out.
  const chosen = Math.min(variant, subjects.length - 1);
  const subject = subjects[chosen]?.subject ?? '';
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
      recipient={<SubjectChoice subjects={subjects} chosen={chosen} onChoose={setVariant} size="xs" />}
      instead="Choose a template to see its mail."
    />
  );
}
