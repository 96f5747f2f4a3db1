import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { asFailure, type Issue } from '../../api/failure.ts';
import { Panel } from '../../frame/detail.tsx';
import { focusFirstFault } from '../../frame/form.tsx';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { DiscardChanges } from '../../show/discard-changes.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { Status } from '../../show/status.tsx';
import { ContactPicker } from '../sequences/contact-picker.tsx';
import { BlocksEditor } from './blocks-editor.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { type ContentDraft, contentOf, draftOfContent, lackingIn, previewable, subjectOf } from './content-draft.ts';
import { ContentWords } from './content-words.tsx';
import { dataOf, samplesOf } from './data-fields.tsx';
import { Warnings } from './preview-notes.tsx';
import { type Asked, TemplateActions } from './template-actions.tsx';
import { TemplateData } from './template-data.tsx';
import { EnabledStatus } from './template-list.tsx';
import { TemplatePreview } from './template-preview.tsx';
import {
  SAMPLE_CONTACT,
  SavedMeanwhile,
  type StoredContent,
  saveContent,
  sentSubject,
  shownOf,
  shownSubject,
  TEMPLATES,
  type Template,
  type TemplateSchema,
  templateContentQuery,
  templatePreviewQuery,
  type Versions,
  versionsOf,
} from './template-queries.ts';
import classes from './templates.module.css';
import { TestMail } from './test-mail.tsx';
import { TurnOn } from './turn-on.tsx';

const TYPING_MS = 400;
const NO_ISSUES: readonly Issue[] = [];
const NO_PATHS: readonly string[] = [];

interface Given {
  readonly template: Template;
  readonly brand: string | undefined;
  readonly stored: StoredContent;
  readonly schema: TemplateSchema;
}

/** Changes what a template says beside its preview; saves it as the draft, or publishes it. */
export function TemplateEditor({ template, brand, stored, schema }: Given): ReactNode {
  const { may } = useSession();
  const { key } = template;
  const canChange = may('templates:write');
  const subjects = { set: template.subject, own: schema.subject };
  const [saved, setSaved] = useState<ContentDraft>(() => draftOfContent(shownOf(stored), shownSubject(stored, subjects)));
  /** What is edited began with it. */
  const [base, setBase] = useState(() => versionsOf(stored));
  const [edited, setEdited] = useState<ContentDraft>();
  const [data, setData] = useState(() => samplesOf(schema.dataSchema));
  /** '' for the sample. */
  const [contactId, setContactId] = useState('');
  const [asks, setAsks] = useState<Asked>();
  const shown = edited ?? saved;
  const save = useSave(key, brand, schema.subject, (what, versions) => {
    setSaved(what);
    setBase(versions);
    // What was typed while it was being saved stays.
    setEdited((now) => (now === what ? undefined : now));
  });
  useLeaveGuard(edited !== undefined);

  const given = dataOf(schema.dataSchema, data);
  const asked = useMemo(
    () =>
      JSON.stringify({
        data: given,
        ...(canChange ? { content: contentOf(previewable(shown)), subject: shown.subject.trim() || schema.subject } : {}),
        contactId: contactId || undefined,
      }),
    [given, shown, schema.subject, canChange, contactId],
  );
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const previewed = useMemo(() => JSON.parse(settled), [settled]);
  const preview = useQuery(templatePreviewQuery(key, { ...previewed, brand }));
  // While what is typed cannot be rendered, the mail as it was stays in sight.
  const [lastGood, setLastGood] = useState(preview.data);
  if (preview.data && preview.data !== lastGood) setLastGood(preview.data);
  const failure = preview.error ? asFailure(preview.error) : undefined;
  const refused = failure?.details.code === 'invalid_content' ? (failure.details.issues ?? NO_ISSUES) : NO_ISSUES;
  const [isTried, setIsTried] = useState(false);
  const lacking = lackingIn(shown.blocks);
  if (isTried && lacking.length === 0) setIsTried(false);
  const issues = isTried ? [...refused, ...lacking] : refused;
  const content = useRef<HTMLDivElement>(null);
  const saveAs = (publish: boolean): void => {
    setIsTried(lacking.length > 0);
    if (lacking.length === 0) save.mutate({ draft: shown, publish, base, sent: sentSubject(stored, subjects) });
    else requestAnimationFrame(() => focusFirstFault(content.current));
  };
  const set = (change: Partial<ContentDraft>): void => setEdited({ ...shown, ...change });
  const firstField = useRef<HTMLInputElement>(null);
  const discard = (): void => {
    setEdited(undefined);
    // The button goes with what it discards.
    requestAnimationFrame(() => firstField.current?.focus());
  };
  const isDraft = stored.draft !== undefined;
  const changed = save.error instanceof SavedMeanwhile ? save.error.theirs : undefined;
  const queries = useQueryClient();
  const take = (theirs: StoredContent): void => {
    setSaved(draftOfContent(shownOf(theirs), shownSubject(theirs, subjects)));
    setBase(versionsOf(theirs));
    setEdited(undefined);
    save.reset();
    queries.setQueryData(templateContentQuery(key, brand).queryKey, theirs);
  };
  return (
    <Page
      title={template.name || key}
      isLong
      beside={
        <>
          <EnabledStatus enabled={template.enabled} />
          {isDraft ? <Status value="draft" tone="warning" /> : null}
        </>
      }
      description={
        <>
          {[template.name && key, template.description].filter(Boolean).join(' · ')}
          <br />
          {standing(stored, template.own, edited !== undefined)}
        </>
      }
      back={{ to: brand ? `/?brand=${brand}` : '/', label: 'Templates' }}
      actions={
        <>
          {may('send') ? (
            <TestMail
              template={key}
              brand={brand}
              data={given}
              contactId={contactId || undefined}
              note={testNote(edited !== undefined, lacking.length > 0)}
              saveFirst={
                edited && lacking.length === 0
                  ? () => save.mutateAsync({ draft: edited, publish: false, base, sent: sentSubject(stored, subjects) })
                  : undefined
              }
            />
          ) : null}
          {canChange ? (
            <>
              {edited ? <DiscardChanges onDiscard={discard} /> : null}
              <Button
                variant="default"
                disabled={!edited}
                loading={save.isPending && !save.variables.publish}
                onClick={() => saveAs(false)}
              >
                Save draft
              </Button>
              <Button disabled={!edited && !isDraft} loading={save.isPending && save.variables.publish} onClick={() => saveAs(true)}>
                Publish
              </Button>
              <TemplateActions
                template={template}
                brand={brand}
                firstContent={stored.defaultContent}
                data={given}
                asked={asks}
                onAsk={setAsks}
                onTake={({ content, subject }) =>
                  setEdited(draftOfContent(content, subject === undefined ? shown.subject : subject || schema.subject))
                }
              />
            </>
          ) : null}
        </>
      }
    >
      {changed ? (
        <ChangedMeanwhile
          templateKey={key}
          brand={brand}
          data={given}
          theirs={changed}
          subjects={subjects}
          mine={contentOf(shown)}
          isPublishing={save.variables?.publish ?? false}
          isSaving={save.isPending}
          onReplace={() =>
            save.variables &&
            save.mutate({ ...save.variables, draft: shown, base: versionsOf(changed), sent: sentSubject(changed, subjects) })
          }
          onTake={() => take(changed)}
        />
      ) : save.error ? (
        <FailureNotice error={save.error} />
      ) : null}
      {save.data?.published && !template.enabled ? <TurnOn template={template} brand={brand} /> : null}
      {save.data?.warnings?.length ? <Warnings warnings={save.data.warnings} /> : null}
      <div className={classes.columns}>
        <div className={classes.edited} ref={content}>
          {canChange ? (
            <Panel title="Content">
              <Stack gap="sm">
                <TextInput
                  ref={firstField}
                  label="Subject"
                  description={
                    shown.subject.trim() && shown.subject.trim() !== schema.subject
                      ? `When it is empty, the template's own: ${schema.subject}`
                      : "This is the template's own"
                  }
                  placeholder={schema.subject}
                  maxLength={998}
                  value={shown.subject}
                  error={issues.find(({ path }) => path === 'subject')?.message}
                  onChange={(event) => set({ subject: event.currentTarget.value })}
                />
                <TextInput
                  label="Preheader"
                  description="Shown beside the subject in the list of mails"
                  value={shown.preheader}
                  error={issues.find(({ path }) => path === 'content.preheader')?.message}
                  onChange={(event) => set({ preheader: event.currentTarget.value })}
                />
                <Text size="xs" c="dimmed">
                  All text is Liquid, like {'{{ contact.first_name }}'}. In text blocks **bold**, *italic* and [links](https://example.com)
                  work.
                </Text>
                <BlocksEditor blocks={shown.blocks} path="content.blocks" issues={issues} onChange={(blocks) => set({ blocks })} />
              </Stack>
            </Panel>
          ) : (
            <ContentWords content={shownOf(stored)} />
          )}
          <TemplateData
            templateKey={key}
            schema={schema}
            canDeclare={canChange && template.own}
            missing={preview.data?.missing ?? NO_PATHS}
            data={data}
            onChange={setData}
          />
        </div>
        <TemplatePreview
          preview={preview.data ?? lastGood}
          isChanging={preview.isFetching || asked !== settled}
          error={preview.error}
          onRetry={preview.refetch}
          recipient={
            may('contacts:read') ? (
              <ContactPicker
                label={undefined}
                placeholder={`For ${SAMPLE_CONTACT.displayName}, a sample; search for a contact`}
                contactId={contactId}
                onChange={setContactId}
              />
            ) : null
          }
        />
      </div>
    </Page>
  );
}

interface Saving {
  readonly draft: ContentDraft;
  readonly publish: boolean;
  readonly base: Versions;
  /** The subject of mails, which stays unless the draft has another. */
  readonly sent: string;
}

function useSave(key: string, brand: string | undefined, ownSubject: string, onSaved: (draft: ContentDraft, versions: Versions) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, publish, base, sent }: Saving) =>
      saveContent(key, brand, { content: contentOf(draft), subject: subjectOf(draft, { sent, own: ownSubject }), publish, base }),
    onSuccess: async ({ version, published }, { draft, base }) => {
      onSaved(draft, published ? { draft: 0, published: version } : { draft: version, published: base.published });
      notifyDone(published ? `Version ${version} is published` : 'The draft is saved');
      await queries.invalidateQueries({ queryKey: templateContentQuery(key, brand).queryKey });
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, key, 'schema'] });
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, 'list'] });
    },
  });
}

/** What a test mail shows. */
function testNote(isEdited: boolean, lacksSomething: boolean): string {
  if (!isEdited) return 'It has the draft if there is one, and the data of this page.';
  if (lacksSomething) return 'It has what is saved: your changes lack something, which saving them tells.';
  return 'Your changes are saved as the draft first, since it has what is saved, and the data of this page.';
}

function standing({ draft, published }: Given['stored'], isOwn: boolean, isEdited: boolean): string {
  const shipped = isOwn ? 'As it was made; nothing else is published' : 'As it ships; nothing else is published';
  const base = published ? `Version ${published.version} is published` : shipped;
  if (isEdited) return `${base}. You have changes that are not saved`;
  return draft ? `${base}. The draft is shown` : base;
}
