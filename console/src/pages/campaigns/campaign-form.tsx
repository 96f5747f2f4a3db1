import { Button, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { type MailSubject, SubjectChoice } from '../templates/subject-choice.tsx';
import { TemplatePreview } from '../templates/template-preview.tsx';
import { type MailData, templatePreviewQuery } from '../templates/template-queries.ts';
import { TestMail } from '../templates/test-mail.tsx';
import { Approval } from './approval.tsx';
import { useAudienceSize } from './audience-count.tsx';
import { AudienceEditor } from './audience-editor.tsx';
import { type CampaignDraft, mailSubjects } from './campaign-draft.ts';
import { CAMPAIGN_LIST } from './campaign-queries.ts';
import classes from './campaigns.module.css';
import { DraftActions } from './draft-actions.tsx';
import { DraftState, SavedByAnother } from './draft-state.tsx';
import { GoalFields } from './goal-fields.tsx';
import { MailEditor } from './mail-editor.tsx';
import { ScheduleEditor } from './schedule-editor.tsx';
import { SendCampaign } from './send-campaign.tsx';
import { VariantsEditor } from './variants-editor.tsx';
import { useWriting, type Writing, type WritingGiven } from './writing.ts';

const FORM = 'campaign';

interface FormGiven extends WritingGiven {
  /** Opens it anew, as it is kept. */
  readonly onAnew: () => void;
}

/** Writes a draft, which is kept by itself, or changes a scheduled campaign, which is kept when it is said. */
export function CampaignForm(given: FormGiven): ReactNode {
  const { whole, lacksPeople = false, onAnew } = given;
  const [isAsked, setIsAsked] = useState(false);
  const writing = useWriting(given, () => setIsAsked(true));
  const { draft, shown, saving, isScheduled, data } = writing;
  return (
    <Page
      title={isScheduled ? 'Change campaign' : shown.kept ? 'Draft' : 'New campaign'}
      isLong
      back={whole && isScheduled ? { to: `/${whole.campaign.id}`, label: 'Campaign' } : CAMPAIGN_LIST}
      beside={<DraftState shown={shown} isWhole={writing.isKeepable} isScheduled={isScheduled} />}
      actions={<Actions writing={writing} />}
    >
      <Stack gap="md" mb={shown.theirs || shown.kept?.draft?.needs_approval || shown.state === 'failed' ? 'md' : 0}>
        <SavedByAnother shown={shown} saving={saving} onTake={onAnew} />
        {shown.kept ? <Approval whole={shown.kept} saving={saving} /> : null}
      </Stack>
      <div className={classes.writing}>
        <form id={FORM} {...writing.props} onKeyDown={isScheduled ? undefined : notByEnter} className={classes.written}>
          <Editors writing={writing} lacksPeople={lacksPeople} />
        </form>
        <Preview template={draft.template} brand={draft.brand ?? undefined} data={data} subjects={mailSubjects(draft)} />
      </div>
      {writing.body || lacksPeople ? (
        <SendCampaign
          body={writing.body}
          scheduleAt={writing.change.scheduleAt ?? undefined}
          saving={saving}
          empty={writing.fields.filter(({ path, used = true }) => used && !draft.data[path]).map(({ path }) => path)}
          opened={isAsked}
          onClose={() => setIsAsked(false)}
          onRefused={writing.refuse}
        />
      ) : null}
    </Page>
  );
}

/** A draft is kept by itself, so Enter in one of its fields is no order to send it. */
function notByEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
}

function Actions({ writing: { draft, shown, saving, isScheduled, data } }: { readonly writing: Writing }): ReactNode {
  const isUnapproved = shown.kept?.draft?.needs_approval === true && shown.kept.draft.approved_at === null;
  return (
    <>
      <TestOf draft={draft} data={data} />
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
  );
}

function Editors({ writing, lacksPeople }: { readonly writing: Writing; readonly lacksPeople: boolean }): ReactNode {
  const { draft, shown, saving, fields, systemVars, problemOf, set } = writing;
  const size = useAudienceSize(draft, shown.kept && { id: shown.kept.campaign.id, audience: saving.keptAudience });
  return (
    <>
      <MailEditor draft={draft} fields={fields} systemVars={systemVars} problemOf={problemOf} onChange={set} />
      <AudienceEditor draft={draft} size={size} lacksPeople={lacksPeople} problemOf={problemOf} onChange={set} />
      <ScheduleEditor draft={draft} problemOf={problemOf} onChange={set} />
      <VariantsEditor variants={draft.variants} subject={draft.subject} problemOf={problemOf} onChange={(variants) => set({ variants })} />
      <Panel title="Goal">
        <GoalFields goal={draft} problemOf={problemOf} onChange={set} />
      </Panel>
    </>
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
      note="This is what the campaign would send now: the published template with the campaign's subject."
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
      instead="Choose a template to see the email."
    />
  );
}
