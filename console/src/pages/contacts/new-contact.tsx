import { Alert, Anchor, Button, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { Panel } from '../../frame/detail.tsx';
import { useForm } from '../../frame/form.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { attributesFault } from './attribute-draft.ts';
import { AttributesEditor } from './attributes-editor.tsx';
import { ConsentFields, consentFaults, consentOf, NO_CONSENT } from './consent-fields.tsx';
import { type ContactDraft, changesOf, draftOfContact } from './contact-draft.ts';
import { CONTACTS } from './contact-queries.ts';
import { PersonFields } from './person-fields.tsx';

const FORM = 'new-contact';
/** Of contacts that are made here; what is told to the API by programs has other ones. */
const SOURCE = 'console';

/** What is surely none is told before it is sent; the API knows the rest. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

interface Made {
  readonly id: string;
  /** Nothing was changed then. */
  readonly wasThere: boolean;
}

/** Makes a contact by hand. */
export function NewContact(): ReactNode {
  const { brands } = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [email, setEmail] = useState('');
  /** An address is not judged while it is typed for the first time. */
  const [wasLeft, setWasLeft] = useState(false);
  const [brand, setBrand] = useState<string | null>(null);
  const [status, setStatus] = useState<'subscribed' | 'pending'>('subscribed');
  const [consent, setConsent] = useState(NO_CONSENT);
  const [draft, setDraft] = useState(() => draftOfContact());
  const create = useMutation({
    async mutationFn(): Promise<Made> {
      // The call changes contacts too: one that is there is shown instead.
      const { contacts: there } = await answerOf(api.GET('/contacts', { params: { query: { email: email.trim(), limit: 1 } } }));
      if (there[0]) return { id: there[0].id, wasThere: true };
      const evidence = status === 'subscribed' ? consentOf(consent) : consentOf({ ...NO_CONSENT, source: SOURCE });
      const person = { email: email.trim(), status, source: SOURCE, consent: evidence, ...(brand ? { brand } : {}), ...changesOf(draft) };
      const { contacts } = await answerOf(api.POST('/contacts', { body: person }));
      return { id: contacts[0]?.id ?? '', wasThere: false };
    },
    onSuccess: async ({ id, wasThere }) => {
      if (wasThere) return;
      notifyDone(`${email.trim()} is added`);
      await queries.invalidateQueries({ queryKey: CONTACTS });
      navigate(`/${id}`, { replace: true });
    },
  });
  const isTyped = email !== '' || consent !== NO_CONSENT || Object.keys(changesOf(draft)).length > 0;
  const { props, errorOf } = useForm({
    faults: {
      email: addressFault(email),
      ...(status === 'subscribed' ? consentFaults(consent) : {}),
      attributes: attributesFault(draft.attributes),
    },
    error: create.error,
    isPending: create.isPending,
    isUnsaved: isTyped && !(create.isSuccess && !create.data.wasThere),
    onSubmit: create.mutate,
  });
  const change = (changed: Partial<ContactDraft>): void => setDraft({ ...draft, ...changed });
  return (
    <Page
      title="New contact"
      isLong
      back={{ to: '/', label: 'Contacts' }}
      actions={
        <Button type="submit" form={FORM} loading={create.isPending}>
          Add contact
        </Button>
      }
    >
      {create.error ? <FailureNotice error={create.error} /> : null}
      {create.data?.wasThere ? (
        <Alert role="alert" color="orange" title="This address is a contact already">
          Nothing was changed.{' '}
          <Anchor component={Link} href={`/${create.data.id}`} inherit>
            Show the contact
          </Anchor>
        </Alert>
      ) : null}
      <form id={FORM} {...props}>
        <Stack gap="md">
          <Panel title="Person">
            <Stack gap="sm">
              <TextInput
                label="Email"
                type="email"
                placeholder="ada@example.com"
                autoComplete="off"
                required
                autoFocus
                value={email}
                error={(wasLeft && email.trim() !== '' ? addressFault(email) : undefined) ?? errorOf('email')}
                onBlur={() => setWasLeft(true)}
                onChange={(event) => setEmail(event.currentTarget.value)}
              />
              {brands.length > 1 ? (
                <Select
                  label="Brand"
                  description="Whom the contact hears from; it stays"
                  placeholder={brands.find((one) => one.is_default)?.name ?? 'The default one'}
                  clearable
                  data={brands.map(({ slug, name }) => ({ value: slug, label: name }))}
                  value={brand}
                  error={errorOf('brand')}
                  onChange={setBrand}
                />
              ) : null}
              <PersonFields draft={draft} onChange={change} errorOf={errorOf} />
            </Stack>
          </Panel>
          <Panel title="Consent">
            <Stack gap="md">
              <Radio.Group aria-label="Consent" value={status} onChange={(value) => setStatus(value as typeof status)}>
                <Stack gap="xs">
                  <Radio value="subscribed" size="sm" label="Subscribed" description="The person has agreed to marketing mail" />
                  <Radio value="pending" size="sm" label="Pending" description="The person has not been asked yet" />
                </Stack>
              </Radio.Group>
              {status === 'subscribed' ? (
                <ConsentFields consent={consent} onChange={setConsent} errorOf={errorOf} />
              ) : (
                <Text size="sm" c="dimmed">
                  Subscribe the contact from its page once the person has agreed.
                </Text>
              )}
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

function addressFault(email: string): string | undefined {
  if (email.trim() === '') return 'Fill in the email';
  return ADDRESS.test(email.trim()) ? undefined : 'Not an address, like ada@example.com';
}
