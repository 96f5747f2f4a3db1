import { Button, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { asFailure, type Issue } from '../../api/failure.ts';
import { problemAt } from '../../api/issues.ts';
import { useForm } from '../../frame/form.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { type MailSubject, SubjectChoice } from '../templates/subject-choice.tsx';
import { TemplatePreview } from '../templates/template-preview.tsx';
import { type MailData, templatePreviewQuery, templateSchemaQuery } from '../templates/template-queries.ts';
import { TestMail } from '../templates/test-mail.tsx';
import { Approval } from './approval.tsx';
import { useAudienceSize } from './audience-count.tsx';
import { AudienceEditor } from './audience-editor.tsx';
import {
  type CampaignDraft,
  campaignFaults,
  changeOf,
  dataOfDraft,
  fieldsAskedFor,
  inputOf,
  isKeepable,
  mailSubjects,
  problemsAfter,
} from './campaign-draft.ts';
import { CAMPAIGN_LIST, CAMPAIGNS, campaignMadeQuery, type WholeCampaign } from './campaign-queries.ts';
import classes from './campaigns.module.css';
import { DraftActions } from './draft-actions.tsx';
import { DraftSaving, useSaving } from './draft-saving.ts';
import { DraftState, SavedByAnother } from './draft-state.tsx';
import { MailEditor } from './mail-editor.tsx';
import { ScheduleEditor } from './schedule-editor.tsx';
import { SendCampaign } from './send-campaign.tsx';
import { VariantsEditor } from './variants-editor.tsx';

const FORM = 'campaign';
const NO_ISSUES: readonly Issue[] = [];

interface Given {
  /** What it is kept as; undefined: nothing of it is yet. */
  readonly whole: WholeCampaign | undefined;
  /** What stands in the form to begin with. */
  readonly first: CampaignDraft;
  /** It is for people whose addresses the key may not read. */
  readonly lacksPeople?: boolean;
  /** Told the id of a draft that was none before. */
  readonly onMade: (id: string) => void;
  /** Opens it anew, as it is kept. */
  readonly onAnew: () => void;
}

/** Writes a draft, which is kept by itself, or changes a scheduled campaign, which is kept when it is said. */
export function CampaignForm({ whole, first: given, lacksPeople = false, onMade, onAnew }: Given): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const isScheduled = whole?.campaign.status === 'scheduled';
  const [first] = useState(given);
  const [draft, setDraft] = useState(first);
  const [issues, setIssues] = useState(NO_ISSUES);
  const [isAsked, setIsAsked] = useState(false);
  const brand = draft.brand ?? undefined;
  const { data: schema } = useQuery({ ...templateSchemaQuery(draft.template ?? '', brand), enabled: draft.template !== null });
  const known = draft.template === null ? [] : schema && fieldsAskedFor(schema);
  const fields = known ?? [];
  const [saving] = useState(() => new DraftSaving(whole, changeOf(first, known), onMade));
  const change = changeOf(draft, known);
  const shown = useSaving(saving, change, !isScheduled);
  const size = useAudienceSize(draft);
  const body = inputOf(draft, fields);
  const set = (part: Partial<CampaignDraft>): void => {
    setDraft({ ...draft, ...part });
    setIssues(problemsAfter(issues, part));
  };
  const saveScheduled = (): void =>
    void saving.flush().then(
      ({ campaign: { id } }) => {
        queries.removeQueries({ queryKey: campaignMadeQuery(id).queryKey });
        navigate(`/${id}`);
        return queries.invalidateQueries({ queryKey: CAMPAIGNS });
      },
      (error: unknown) => setIssues(asFailure(error).details.issues ?? []),
    );
  const { props, errorOf } = useForm({
    faults: campaignFaults(draft, fields, lacksPeople),
    // What goes wrong is said beside the title, and by the question that follows.
    error: null,
    isPending: shown.state === 'saving' && isScheduled,
    isUnsaved: isScheduled ? shown.state !== 'saved' : shown.state === 'failed' || shown.state === 'theirs' || !isKeepable(change),
    onSubmit: () => (isScheduled ? saveScheduled() : setIsAsked(true)),
  });
  const refused = shown.state === 'failed' ? (asFailure(shown.error).details.issues ?? NO_ISSUES) : NO_ISSUES;
  const problemOf = (path: string): string | undefined => errorOf(path) ?? problemAt(issues, path) ?? problemAt(refused, path);
  const isUnapproved = shown.kept?.draft?.needs_approval === true && shown.kept.draft.approved_at === null;
  return (
    <Page
      title={isScheduled ? 'Change campaign' : shown.kept ? 'Draft' : 'New campaign'}
      isLong
      back={isScheduled ? { to: `/${whole.campaign.id}`, label: 'Campaign' } : CAMPAIGN_LIST}
      beside={<DraftState shown={shown} isWhole={isKeepable(change)} isScheduled={isScheduled} />}
      actions={
        <>
          <TestOf draft={draft} data={dataOfDraft(draft, fields)} />
          {shown.kept && !isScheduled ? <DraftActions whole={shown.kept} saving={saving} /> : null}
          <Button
            type="submit"
            form={FORM}
            disabled={isScheduled ? shown.state === 'saved' : isUnapproved}
            loading={isScheduled && shown.state === 'saving'}
          >
            {isScheduled ? 'Save changes' : draft.startsLater ? 'Schedule…' : 'Send now…'}
          </Button>
        </>
      }
    >
      <Stack gap="md" mb={shown.theirs || shown.kept?.draft?.needs_approval || shown.state === 'failed' ? 'md' : 0}>
        <SavedByAnother shown={shown} saving={saving} onTake={onAnew} />
        {shown.kept ? <Approval whole={shown.kept} saving={saving} /> : null}
      </Stack>
      <div className={classes.writing}>
        <form id={FORM} {...props} className={classes.written}>
          <MailEditor draft={draft} fields={fields} systemVars={schema?.systemVars ?? []} problemOf={problemOf} onChange={set} />
          <AudienceEditor draft={draft} size={size} lacksPeople={lacksPeople} problemOf={problemOf} onChange={set} />
          <ScheduleEditor draft={draft} problemOf={problemOf} onChange={set} />
          <VariantsEditor
            variants={draft.variants}
            subject={draft.subject}
            problemOf={problemOf}
            onChange={(variants) => set({ variants })}
          />
        </form>
        <Preview template={draft.template} brand={brand} data={dataOfDraft(draft, fields)} subjects={mailSubjects(draft)} />
      </div>
      {body || lacksPeople ? (
        <SendCampaign
          body={body}
          saving={saving}
          empty={fields.filter(({ path, used = true }) => used && !draft.data[path]).map(({ path }) => path)}
          opened={isAsked}
          onClose={() => setIsAsked(false)}
          onRefused={setIssues}
        />
      ) : null}
    </Page>
  );
}

function TestOf({ draft, data }: { readonly draft: CampaignDraft; readonly data: MailData }): ReactNode {
  const { may } = useSession();
  if (!draft.template || !may('POST /templates/{key}/test')) return null;
  return (
    <TestMail
      template={draft.template}
      brand={draft.brand ?? undefined}
      data={data}
      note="It is what the campaign would send now: what is published, with the campaign's subject."
      version="published"
      subjects={mailSubjects(draft)}
    />
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
