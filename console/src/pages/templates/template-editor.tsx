import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { asFailure, type Issue } from '../../api/failure.ts';
import { Panel } from '../../frame/detail.tsx';
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
import { type ContentDraft, contentOf, draftOfContent } from './content-draft.ts';
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
  shownOf,
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
  const [saved, setSaved] = useState<ContentDraft>(() => draftOfContent(shownOf(stored)));
  /** What is edited began with it. */
  const [base, setBase] = useState(() => versionsOf(stored));
  const [edited, setEdited] = useState<ContentDraft>();
  const [data, setData] = useState(() => samplesOf(schema.dataSchema));
  /** '' for the sample. */
  const [contactId, setContactId] = useState('');
  const [asks, setAsks] = useState<Asked>();
  const shown = edited ?? saved;
  const save = useSave(key, brand, (what, versions) => {
    setSaved(what);
    setBase(versions);
    // What was typed while it was being saved stays.
    setEdited((now) => (now === what ? undefined : now));
  });
  useLeaveGuard(edited !== undefined);

  const given = dataOf(schema.dataSchema, data).data;
  const asked = useMemo(
    () => JSON.stringify({ data: given, content: canChange ? contentOf(shown) : undefined, contactId: contactId || undefined }),
    [given, shown, canChange, contactId],
  );
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const previewed = useMemo(() => JSON.parse(settled), [settled]);
  const preview = useQuery(templatePreviewQuery(key, { ...previewed, brand }));
  // While what is typed cannot be rendered, the mail as it was stays in sight.
  const [lastGood, setLastGood] = useState(preview.data);
  if (preview.data && preview.data !== lastGood) setLastGood(preview.data);
  const failure = preview.error ? asFailure(preview.error) : undefined;
  const issues = failure?.details.code === 'invalid_content' ? (failure.details.issues ?? NO_ISSUES) : NO_ISSUES;
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
    setSaved(draftOfContent(shownOf(theirs)));
    setBase(versionsOf(theirs));
    setEdited(undefined);
    save.reset();
    queries.setQueryData(templateContentQuery(key, brand).queryKey, theirs);
  };
  return (
    <Page
      title={key}
      beside={
        <>
          <EnabledStatus enabled={template.enabled} />
          {isDraft ? <Status value="draft" tone="warning" /> : null}
        </>
      }
      description={
        <>
          {[template.name, template.description].filter(Boolean).join(': ')}
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
              note={
                edited
                  ? 'It has what is saved: save the draft first to see your changes.'
                  : 'It has the draft if there is one, and the data of this page.'
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
                onClick={() => save.mutate({ draft: shown, publish: false, base })}
              >
                Save draft
              </Button>
              <Button
                disabled={!edited && !isDraft}
                loading={save.isPending && save.variables.publish}
                onClick={() => save.mutate({ draft: shown, publish: true, base })}
              >
                Publish
              </Button>
              <TemplateActions
                template={template}
                brand={brand}
                ownSubject={schema.subject}
                data={given}
                asked={asks}
                onAsk={setAsks}
                onTake={(content) => setEdited(draftOfContent(content))}
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
          mine={contentOf(shown)}
          isPublishing={save.variables?.publish ?? false}
          isSaving={save.isPending}
          onReplace={() => save.variables && save.mutate({ ...save.variables, draft: shown, base: versionsOf(changed) })}
          onTake={() => take(changed)}
        />
      ) : save.error ? (
        <FailureNotice error={save.error} />
      ) : null}
      {save.data?.published && !template.enabled ? <TurnOn template={template} brand={brand} /> : null}
      {save.data?.warnings?.length ? <Warnings warnings={save.data.warnings} /> : null}
      <div className={classes.columns}>
        <div className={classes.edited}>
          {canChange ? (
            <Panel title="Content">
              <Stack gap="sm">
                <TextInput
                  ref={firstField}
                  label="Preheader"
                  description="Shown beside the subject in the list of mails"
                  inputWrapperOrder={['label', 'input', 'description', 'error']}
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
          subjectAction={
            canChange ? (
              <Anchor component="button" type="button" size="xs" onClick={() => setAsks('settings')}>
                Edit subject
              </Anchor>
            ) : undefined
          }
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
}

function useSave(key: string, brand: string | undefined, onSaved: (draft: ContentDraft, versions: Versions) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, publish, base }: Saving) => saveContent(key, brand, { content: contentOf(draft), publish, base }),
    onSuccess: async ({ version, published }, { draft, base }) => {
      onSaved(draft, published ? { draft: 0, published: version } : { draft: version, published: base.published });
      notifyDone(published ? `Version ${version} is published` : 'The draft is saved');
      await queries.invalidateQueries({ queryKey: templateContentQuery(key, brand).queryKey });
      await queries.invalidateQueries({ queryKey: [...TEMPLATES, key, 'schema'] });
    },
  });
}

function standing({ draft, published }: Given['stored'], isOwn: boolean, isEdited: boolean): string {
  const shipped = isOwn ? 'Nothing is published since it was made' : 'As it ships; nothing else is published';
  const base = published ? `Version ${published.version} is published` : shipped;
  if (isEdited) return `${base}. You have changes that are not saved`;
  return draft ? `${base}. The draft is shown` : base;
}
