import { Alert, Anchor, Button, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { AttributesEditor } from './attributes-editor.tsx';
import { ConsentFields } from './consent-fields.tsx';
import type { ContactDraft } from './contact-draft.ts';
import type { NewContactStatus } from './contact-queries.ts';
import { ManyAtOnce } from './many-at-once.tsx';
import { PersonFields } from './person-fields.tsx';
import { useAsksToConfirm } from './use-asks-to-confirm.ts';
import { addressFault, useNewContact } from './use-new-contact.ts';

const FORM = 'new-contact';

/** Makes a contact by hand. */
export function NewContact(): ReactNode {
  const { email, setEmail, brand, setBrand, status, setStatus, consent, setConsent, draft, setDraft, create, form } = useNewContact();
  const { errorOf } = form;
  const isAsked = useAsksToConfirm(brand);
  const change = (changed: Partial<ContactDraft>): void => setDraft({ ...draft, ...changed });
  return (
    <Page
      title="New contact"
      description={<ManyAtOnce />}
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
        <Alert role="alert" color="orange" title="This address is already a contact">
          Nothing changed.{' '}
          <Anchor component={Link} href={`/${create.data.id}`} inherit>
            View contact
          </Anchor>
        </Alert>
      ) : null}
      <form id={FORM} {...form.props}>
        <Stack gap="md">
          <Panel title="Person">
            <Stack gap="sm">
              <AddressInput email={email} error={errorOf('email')} onChange={setEmail} />
              <BrandSelect brand={brand} error={errorOf('brand')} onChange={setBrand} />
              <PersonFields draft={draft} onChange={change} errorOf={errorOf} />
            </Stack>
          </Panel>
          <Panel title="Consent">
            <Stack gap="md">
              <StatusChoice status={status} isAsked={isAsked} onChange={setStatus} />
              {status === 'subscribed' ? (
                <ConsentFields consent={consent} onChange={setConsent} errorOf={errorOf} />
              ) : (
                <Text size="sm" c="dimmed">
                  {isAsked
                    ? 'The person gets an email to confirm, and is subscribed by the button in it.'
                    : 'Pending contacts get campaigns and sequences like subscribed ones. To keep this one out until they agree, unsubscribe it after adding it.'}
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

interface AddressGiven {
  readonly email: string;
  readonly error: string | undefined;
  readonly onChange: (email: string) => void;
}

function AddressInput({ email, error, onChange }: AddressGiven): ReactNode {
  /** An address is not judged while it is typed for the first time. */
  const [wasLeft, setWasLeft] = useState(false);
  return (
    <TextInput
      label="Email"
      type="email"
      placeholder="ada@example.com"
      autoComplete="off"
      required
      autoFocus
      value={email}
      error={(wasLeft && email.trim() !== '' ? addressFault(email) : undefined) ?? error}
      onBlur={() => setWasLeft(true)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface BrandGiven {
  readonly brand: string | null;
  readonly error: string | undefined;
  readonly onChange: (brand: string | null) => void;
}

/** Nothing where there is but one. */
function BrandSelect({ brand, error, onChange }: BrandGiven): ReactNode {
  const { brands } = useSession();
  if (brands.length <= 1) return null;
  return (
    <Select
      label="Brand"
      description="Who the contact hears from. It cannot be changed later"
      placeholder={brands.find((one) => one.is_default)?.name ?? 'The default brand'}
      clearable
      data={brands.map(({ slug, name }) => ({ value: slug, label: name }))}
      value={brand}
      error={error}
      onChange={onChange}
    />
  );
}

interface StatusGiven {
  readonly status: NewContactStatus;
  /** Whether who is pending is asked to confirm. */
  readonly isAsked: boolean;
  readonly onChange: (status: NewContactStatus) => void;
}

function StatusChoice({ status, isAsked, onChange }: StatusGiven): ReactNode {
  return (
    <Radio.Group aria-label="Consent" value={status} onChange={(value) => onChange(value as NewContactStatus)}>
      <Stack gap="xs">
        <Radio value="subscribed" size="sm" label="Subscribed" description="The person has agreed to marketing email" />
        <Radio
          value="pending"
          size="sm"
          label="Pending"
          description={
            isAsked
              ? 'The person is asked to confirm, and gets no marketing email until then'
              : 'The person was not asked yet, and gets marketing email all the same'
          }
        />
      </Stack>
    </Radio.Group>
  );
}
