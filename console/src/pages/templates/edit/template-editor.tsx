import { type ReactNode, useRef, useState } from 'react';
import type { Issue } from '../../../api/failure.ts';
import { focusFirstFault } from '../../../frame/form.tsx';
import { Page } from '../../../frame/page.tsx';
import { useSession } from '../../../session/session.tsx';
import { FailureNotice, type PlaceWords } from '../../../show/failure-notice.tsx';
import { Status } from '../../../show/status.tsx';
import { ContactPicker } from '../../sequences/contact-picker.tsx';
import { placeInContent } from '../block-place-words.ts';
import { ChangedMeanwhile } from '../changed-meanwhile.tsx';
import { contentOf } from '../content-draft.ts';
import { ContentWords } from '../content-words.tsx';
import { dataOf, samplesOf } from '../data-fields.tsx';
import { DefaultBeside } from '../languages/default-beside.tsx';
import { languageName } from '../languages/language-names.ts';
import { LanguageNav } from '../languages/language-nav.tsx';
import { LanguageNotice } from '../languages/language-notice.tsx';
import { stateOf, type TemplateLanguage } from '../languages/language-queries.ts';
import { LanguagesPanel } from '../languages/languages-panel.tsx';
import { useBeside } from '../languages/use-beside.ts';
import { Warnings } from '../preview-notes.tsx';
import { TemplateData } from '../template-data.tsx';
import { EnabledStatus } from '../template-list.tsx';
import { TemplatePreview } from '../template-preview.tsx';
import {
  type MailData,
  SAMPLE_CONTACT,
  SavedMeanwhile,
  type StoredContent,
  sentContent,
  sentSubject,
  shownOf,
  type Template,
  type TemplateSchema,
} from '../template-queries.ts';
import classes from '../templates.module.css';
import { TurnOn } from '../turn-on.tsx';
import { ContentPanel } from './content-panel.tsx';
import { EditActions } from './edit-actions.tsx';
import { PreviewBlocks } from './preview-blocks.tsx';
import { useContentPreview } from './use-content-preview.ts';
import { type EditedContent, useEditedContent } from './use-edited-content.ts';
import { useUndoKeys } from './use-undo-keys.ts';
import { VariablePicker } from './variable-picker.tsx';

interface Given {
  readonly template: Template;
  readonly brand: string | undefined;
  /** Which of its languages is edited; undefined: the default. */
  readonly locale: string | undefined;
  readonly languages: readonly TemplateLanguage[];
  readonly stored: StoredContent;
  readonly ofDefault: StoredContent;
  readonly schema: TemplateSchema;
}

const NO_ISSUES: readonly Issue[] = [];

/** Changes what a template says beside its preview; saves it as the draft, or publishes it. */
export function TemplateEditor({ template, brand, locale, languages, stored, ofDefault, schema }: Given): ReactNode {
  const { may } = useSession();
  const { key, own } = template;
  const canChange = may('PUT /templates/{key}/content');
  const fields = useRef<HTMLDivElement>(null);
  const firstField = useRef<HTMLInputElement>(null);
  const edition = { brand, locale };
  const language = locale === undefined ? undefined : languages.find((one) => one.locale === locale);
  const subjectsOfDefault = { set: template.subject, own: schema.subject };
  const subjectOfDefault = sentSubject(ofDefault, subjectsOfDefault);
  const subjects = language ? { set: '', own: subjectOfDefault } : subjectsOfDefault;
  const beside = useBeside();
  const isBeside = canChange && language !== undefined && beside.isShown;
  const content = useEditedContent({
    ...{ template: key, edition, stored, subjects },
    onLacking: () => requestAnimationFrame(() => focusFirstFault(fields.current)),
  });
  const { shown, isEdited, toldLacking } = content;
  const [data, setData] = useState(() => samplesOf(schema.dataSchema));
  const [contactId, setContactId] = useState('');
  const [isHalfTyped, setIsHalfTyped] = useState(false);
  const given = dataOf(schema.dataSchema, data);
  const draft = canChange ? shown : undefined;
  const { preview, missing, refused, ...reading } = useContentPreview({
    key,
    edition,
    data: given,
    draft,
    ownSubject: subjects.own,
    contactId,
    isHalfTyped,
  });
  useUndoKeys({ onUndo: () => content.undo?.(), onRedo: () => content.redo?.() });
  const placeWords = (path: string): string | undefined => placeInContent(shown.blocks, path);
  const discard = (): void => {
    content.discard();
    // The button goes with what it discards.
    requestAnimationFrame(() => firstField.current?.focus());
  };
  return (
    <Page
      title={template.name || key}
      isLong
      beside={<Standing template={template} isDraft={stored.draft !== undefined} />}
      description={
        <>
          {[template.name && key, template.description].filter(Boolean).join(' · ')}
          <br />
          {standing({ stored, template, language, isEdited })}
        </>
      }
      back={{ to: brand ? `/?brand=${brand}` : '/', label: 'Templates' }}
      actions={<EditActions {...{ template, edition, language, stored, ofDefault, content, contactId }} data={given} onDiscard={discard} />}
      isBroad={isBeside}
    >
      <Notices template={template} brand={brand} content={content} data={given} placeWords={placeWords} />
      <LanguageNav
        {...{ template, brand, languages, locale, ofDefault, subjectOfDefault }}
        beside={canChange && language ? beside : undefined}
      />
      {language ? (
        <LanguageNotice
          templateKey={key}
          {...{ brand, language, ofDefault, subjectOfDefault, canChange }}
          publishedDefault={languages[0]?.published ?? null}
        />
      ) : null}
      {canChange ? <VariablePicker fields={schema.dataSchema} onTyping={setIsHalfTyped} /> : null}
      <div className={classes.columns} data-beside={isBeside || undefined}>
        <div className={classes.edited} ref={fields}>
          {canChange ? (
            <div data-content>
              <ContentPanel
                draft={shown}
                ownSubject={subjects.own}
                isOfLanguage={language !== undefined}
                issues={[...refused, ...toldLacking]}
                warnings={preview?.warnings ?? NO_ISSUES}
                onChange={content.set}
                firstField={firstField}
                onUndo={content.undo}
                onRedo={content.redo}
              />
            </div>
          ) : (
            <ContentWords content={shownOf(stored)} />
          )}
          <TemplateData templateKey={key} schema={schema} canDeclare={canChange && own} missing={missing} data={data} onChange={setData} />
          <LanguagesPanel templateKey={key} brand={brand} languages={languages} />
        </div>
        {isBeside ? <DefaultBeside subject={subjectOfDefault} content={sentContent(ofDefault)} /> : null}
        <TemplatePreview
          preview={preview}
          isChanging={reading.isChanging}
          error={reading.error}
          onRetry={reading.refetch}
          upon={
            draft?.mjml === undefined ? draft && ((mail) => <PreviewBlocks {...mail} draft={draft} onChange={content.set} />) : undefined
          }
          placeWords={placeWords}
          recipient={may('GET /contacts') ? <Recipient contactId={contactId} onChange={setContactId} /> : null}
        />
      </div>
    </Page>
  );
}

function Standing({ template, isDraft }: { readonly template: Template; readonly isDraft: boolean }): ReactNode {
  return (
    <>
      <EnabledStatus enabled={template.enabled} />
      {isDraft ? <Status value="draft" tone="warning" /> : null}
    </>
  );
}

interface NoticesGiven extends Pick<Given, 'template' | 'brand'> {
  readonly content: EditedContent;
  readonly data: MailData;
  readonly placeWords: PlaceWords;
}

/** What became of the last call that saved: why it did not, or what is to be known since. */
function Notices({ template, brand, content, data, placeWords }: NoticesGiven): ReactNode {
  const { shown, subjects, save, replace, take } = content;
  const theirs = save.error instanceof SavedMeanwhile ? save.error.theirs : undefined;
  return (
    <>
      {theirs ? (
        <ChangedMeanwhile
          templateKey={template.key}
          brand={brand}
          data={data}
          theirs={theirs}
          subjects={subjects}
          mine={contentOf(shown)}
          isPublishing={save.variables?.publish ?? false}
          isSaving={save.isPending}
          onReplace={() => replace(theirs)}
          onTake={() => take(theirs)}
        />
      ) : save.error ? (
        <FailureNotice error={save.error} placeWords={placeWords} />
      ) : null}
      {save.data?.published && !template.enabled ? (
        <TurnOn template={template} brand={brand} published={contentOf(save.variables.draft)} />
      ) : null}
      {save.data?.warnings?.length ? <Warnings warnings={save.data.warnings} placeWords={placeWords} /> : null}
    </>
  );
}

interface RecipientGiven {
  /** '' for the sample. */
  readonly contactId: string;
  readonly onChange: (contactId: string) => void;
}

/** Whom the preview is for. */
function Recipient({ contactId, onChange }: RecipientGiven): ReactNode {
  return (
    <ContactPicker
      label={undefined}
      placeholder={`For ${SAMPLE_CONTACT.displayName} (sample). Search for a contact`}
      contactId={contactId}
      onChange={onChange}
    />
  );
}

interface StandingGiven {
  readonly stored: StoredContent;
  readonly template: Template;
  /** undefined: the default. */
  readonly language: TemplateLanguage | undefined;
  readonly isEdited: boolean;
}

function standing({ stored: { draft, published }, template: { own, enabled }, language, isEdited }: StandingGiven): string {
  const unpublished = enabled
    ? 'Not published yet: emails use the content it was created with'
    : 'Not published and off: nothing is sent with it. Publish, then turn it on';
  const builtIn = own ? unpublished : 'Built-in version; nothing else is published';
  const shipped = language && stateOf(language).isOpen ? `${languageName(language.locale)} is not published` : builtIn;
  const base = published ? `Version ${published.publication} is published` : shipped;
  if (isEdited) return `${base}. You have unsaved changes`;
  return draft ? `${base}. Showing the draft` : base;
}
