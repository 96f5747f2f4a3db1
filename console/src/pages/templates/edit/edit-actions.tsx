import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SAVE_KEY, useSaveKey } from '../../../frame/save-key.ts';
import { useSession } from '../../../session/session.tsx';
import { DiscardChanges } from '../../../show/discard-changes.tsx';
import { draftOfContent } from '../content-draft.ts';
import type { TemplateLanguage } from '../languages/language-queries.ts';
import { type Asked, TemplateActions } from '../template-actions.tsx';
import { askedLanguage, type Edition, type MailData, type StoredContent, sentContent, type Template } from '../template-queries.ts';
import { TestMail } from '../test-mail.tsx';
import type { EditedContent } from './use-edited-content.ts';

interface Given {
  readonly template: Template;
  readonly edition: Edition;
  readonly language: TemplateLanguage | undefined;
  readonly stored: StoredContent;
  readonly ofDefault: StoredContent;
  readonly content: EditedContent;
  readonly data: MailData;
  /** '' for the sample. */
  readonly contactId: string;
  readonly onDiscard: () => void;
}

/** What can be done with a template that is edited, as far as the key allows. */
export function EditActions({ template, edition, language, stored, ofDefault, content, data, contactId, onDiscard }: Given): ReactNode {
  const { may } = useSession();
  const [asks, setAsks] = useState<Asked>();
  const { shown, isEdited, lacking, save, saveAs, saveDraft, set, subjects } = content;
  useSaveKey(may('PUT /templates/{key}') ? () => isEdited && !save.isPending && saveAs(false) : undefined);
  const isSaving = (publish: boolean): boolean => save.isPending && save.variables.publish === publish;
  return (
    <>
      {may('POST /templates/{key}/test') ? (
        <TestMail
          template={template.key}
          brand={edition.brand}
          locale={askedLanguage(edition)}
          data={data}
          contactId={contactId || undefined}
          note={testNote(isEdited, lacking.length > 0)}
          saveFirst={saveDraft}
        />
      ) : null}
      {may('PUT /templates/{key}') ? (
        <>
          {isEdited ? <DiscardChanges onDiscard={onDiscard} /> : null}
          <Button variant="default" disabled={!isEdited} loading={isSaving(false)} onClick={() => saveAs(false)} {...SAVE_KEY}>
            Save draft
          </Button>
          <Button
            disabled={!isEdited && stored.draft === undefined && stored.published !== undefined}
            loading={isSaving(true)}
            onClick={() => saveAs(true)}
          >
            Publish
          </Button>
          <TemplateActions
            template={template}
            edition={edition}
            language={language}
            firstContent={!language || language.ships ? stored.defaultContent : undefined}
            sentContent={sentContent(ofDefault)}
            data={data}
            asked={asks}
            onAsk={setAsks}
            onTake={({ content: said, subject }) =>
              set(draftOfContent(said, subject === undefined ? shown.subject : subject || subjects.own))
            }
          />
        </>
      ) : null}
    </>
  );
}

/** What a test mail shows. */
function testNote(isEdited: boolean, lacksSomething: boolean): string {
  if (!isEdited) return 'Uses the draft if there is one, with the data on this page.';
  if (lacksSomething) return 'Uses the saved version: your changes cannot be saved yet.';
  return 'Your changes are saved as the draft first. Uses the data on this page.';
}
