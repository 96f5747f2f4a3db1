import { Button, Stack } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { SAVE_KEY } from '../../frame/save-key.ts';
import { scopeOf } from '../../session/operations.ts';
import { useSession } from '../../session/session.tsx';
import type { MailData } from '../templates/template-queries.ts';
import { TestMail } from '../templates/test-mail.tsx';
import { Approval } from './approval.tsx';
import { useAudienceSize } from './audience-count.tsx';
import { AudienceEditor } from './audience-editor.tsx';
import { type CampaignDraft, mailSubjects } from './campaign-draft.ts';
import { CampaignPreview } from './campaign-preview.tsx';
import { CAMPAIGN_LIST } from './campaign-queries.ts';
import { CampaignStatus } from './campaign-status.tsx';
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
      title={isScheduled ? 'Change campaign' : shown.kept ? shown.kept.campaign.name || 'Draft' : 'New campaign'}
      isLong
      back={whole && isScheduled ? { to: `/${whole.campaign.id}`, label: 'Campaign' } : CAMPAIGN_LIST}
      beside={
        <>
          {shown.kept?.campaign.name && !isScheduled ? <CampaignStatus campaign={shown.kept.campaign} /> : null}
          <DraftState shown={shown} isWhole={writing.isKeepable} isScheduled={isScheduled} />
        </>
      }
      actions={<Actions writing={writing} />}
    >
      <Stack gap="md" mb={shown.theirs || shown.kept?.draft?.needs_approval || shown.state === 'failed' ? 'md' : 0}>
        <SavedByAnother shown={shown} saving={saving} onTake={onAnew} />
        {shown.kept ? <Approval whole={shown.kept} saving={saving} /> : null}
      </Stack>
      <div className={classes.writing}>
        <form id={FORM} {...writing.props} onKeyDown={isScheduled ? undefined : notByEnter} className={classes.written}>
          <Editors writing={writing} isNew={whole === undefined} lacksPeople={lacksPeople} />
        </form>
        <CampaignPreview template={draft.template} brand={draft.brand ?? undefined} data={data} subjects={mailSubjects(draft)} />
      </div>
      <SendCampaign writing={writing} opened={isAsked} onClose={() => setIsAsked(false)} />
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
        {...(isScheduled ? SAVE_KEY : {})}
      >
        {isScheduled ? 'Save changes' : draft.start === 'now' ? 'Send now…' : 'Schedule…'}
      </Button>
    </>
  );
}

interface EditorsGiven {
  readonly writing: Writing;
  readonly isNew: boolean;
  readonly lacksPeople: boolean;
}

function Editors({ writing, isNew, lacksPeople }: EditorsGiven): ReactNode {
  const { draft, shown, saving, fields, systemVars, problemOf, set } = writing;
  const size = useAudienceSize(draft, shown.kept && { id: shown.kept.campaign.id, ...saving.keptAudience });
  return (
    <>
      <MailEditor draft={draft} isNew={isNew} fields={fields} systemVars={systemVars} problemOf={problemOf} onChange={set} />
      <AudienceEditor
        draft={draft}
        size={size}
        peopleKept={
          lacksPeople
            ? `The addresses of the list are kept and not shown: this key lacks the scope ${scopeOf('GET /campaigns/{id}/people')}.`
            : undefined
        }
        problemOf={problemOf}
        onChange={set}
      />
      <ScheduleEditor draft={draft} problemOf={problemOf} onChange={set} />
      <VariantsEditor
        variants={draft.variants}
        subject={draft.subject}
        problemOf={problemOf}
        onChange={(variants) => set({ variants })}
        test={draft}
        onTest={set}
      />
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
