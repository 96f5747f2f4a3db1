import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { Panel } from '../../frame/detail.tsx';
import { useForm } from '../../frame/form.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { SAVE_KEY } from '../../frame/save-key.ts';
import { DiscardChanges } from '../../show/discard-changes.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { attributesFault } from './attribute-draft.ts';
import { AttributesEditor } from './attributes-editor.tsx';
import { type ContactDraft, changesOf, draftOfContact } from './contact-draft.ts';
import { CONTACTS, type ContactWithConsent, contactQuery } from './contact-queries.ts';
import { PersonFields } from './person-fields.tsx';
import { TopicChoices } from './topic-choices.tsx';

const FORM = 'edit-contact';

/** Changes what is known of a contact. */
export function EditContact({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(contactQuery(id));
  if (data) return <Loaded read={data} />;
  return (
    <Page title={error ? 'Contact' : undefined} back={{ to: `/${id}`, label: 'Contact' }}>
      {error ? <Unread error={error} onRetry={refetch} what="contact" back={{ to: '/', label: 'Contacts' }} /> : null}
    </Page>
  );
}

function Loaded({ read }: { readonly read: ContactWithConsent }): ReactNode {
  const { contact, draft, setDraft, isChanged, save, props, errorOf } = useEditedContact(read);
  const { id, email } = contact;
  const change = (changed: Partial<ContactDraft>): void => setDraft({ ...draft, ...changed });
  return (
    <Page
      title={`Edit ${email}`}
      isLong
      back={{ to: `/${id}`, label: 'Contact' }}
      actions={
        <>
          {isChanged ? <DiscardChanges onDiscard={() => setDraft(draftOfContact(contact))} /> : null}
          <Button type="submit" form={FORM} loading={save.isPending} disabled={!isChanged} {...SAVE_KEY}>
            Save
          </Button>
        </>
      }
    >
      {save.error ? <FailureNotice error={save.error} /> : null}
      <form id={FORM} {...props}>
        <Stack gap="md">
          <Panel title="Person">
            <Stack gap="sm">
              <TextInput
                label="Email"
                description={`The email and the brand (${contact.brand_id}) cannot be changed. For another address, add another contact.`}
                value={email}
                readOnly
                variant="filled"
              />
              <PersonFields draft={draft} onChange={change} errorOf={errorOf} />
            </Stack>
          </Panel>
          <TopicChoices draft={draft} onChange={change} />
          <Panel title="Attributes">
            <AttributesEditor
              attributes={draft.attributes}
              onChange={(attributes) => change({ attributes })}
              error={errorOf('attributes')}
            />
          </Panel>
        </Stack>
      </form>
    </Page>
  );
}

/** What is typed of a contact, and its saving. */
function useEditedContact(read: ContactWithConsent) {
  // Changes are told against what was shown when the form opened.
  const [contact] = useState(read);
  const [draft, setDraft] = useState(() => draftOfContact(contact));
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const changes = changesOf(draft, contact);
  const isChanged = Object.keys(changes).length > 0;
  const { id, email } = contact;
  const save = useMutation({
    async mutationFn() {
      // The call makes contacts too, and somebody may have erased this one meanwhile.
      await answerOf(api.GET('/contacts/{id}', { params: { path: { id } } }));
      return answerOf(api.POST('/contacts', { body: { email, ...changes } }));
    },
    onSuccess: async () => {
      notifyDone(`${email} saved`);
      await queries.invalidateQueries({ queryKey: CONTACTS });
      navigate(`/${id}`, { replace: true });
    },
  });
  const { props, errorOf } = useForm({
    faults: { attributes: attributesFault(draft.attributes) },
    error: save.error,
    isPending: save.isPending,
    isUnsaved: isChanged && !save.isSuccess,
    isSavedByKey: true,
    onSubmit: () => isChanged && save.mutate(),
  });
  return { contact, draft, setDraft, isChanged, save, props, errorOf };
}
