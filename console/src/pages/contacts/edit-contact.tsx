import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { Panel } from '../../frame/detail.tsx';
import { useFieldErrors } from '../../frame/field-errors.ts';
import { useLeaveGuard } from '../../frame/leave-guard.ts';
import { Page } from '../../frame/page.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { attributeProblem } from './attribute-draft.ts';
import { AttributesEditor } from './attributes-editor.tsx';
import { type ContactDraft, changesOf, draftOfContact } from './contact-draft.ts';
import { CONTACTS, type ContactWithConsent, contactQuery } from './contact-queries.ts';
import { PersonFields } from './person-fields.tsx';

const FORM = 'edit-contact';

/** Changes what is known of a contact. */
export function EditContact({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(contactQuery(id));
  if (data) return <Loaded read={data} />;
  return (
    <Page title={error ? 'Contact' : undefined} back={{ to: `/${id}`, label: 'Contact' }}>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
    </Page>
  );
}

function Loaded({ read }: { readonly read: ContactWithConsent }): ReactNode {
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
      notifyDone(`${email} is saved`);
      await queries.invalidateQueries({ queryKey: CONTACTS });
      navigate(`/${id}`, { replace: true });
    },
  });
  useLeaveGuard(isChanged && !save.isSuccess);
  const errorOf = useFieldErrors(save.error);
  const change = (changed: Partial<ContactDraft>): void => setDraft({ ...draft, ...changed });
  const hasProblem = draft.attributes.some((one) => Object.keys(attributeProblem(one, draft.attributes)).length > 0);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged && !hasProblem && !save.isPending) save.mutate();
  };
  return (
    <Page
      title={`Edit ${email}`}
      back={{ to: `/${id}`, label: 'Contact' }}
      actions={
        <>
          <Button variant="default" component={Link} href={`/${id}`}>
            Cancel
          </Button>
          <Button type="submit" form={FORM} loading={save.isPending} disabled={!isChanged || hasProblem}>
            Save
          </Button>
        </>
      }
    >
      {save.error ? <FailureNotice error={save.error} /> : null}
      <form id={FORM} onSubmit={submit}>
        <Stack gap="md">
          <Panel title="Person">
            <Stack gap="sm">
              <TextInput
                label="Address"
                description={`It stays, and so does the brand, ${contact.brand_id}: another address is another contact.`}
                value={email}
                readOnly
                variant="filled"
              />
              <PersonFields draft={draft} onChange={change} errorOf={errorOf} />
            </Stack>
          </Panel>
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
