import { Checkbox, ColorInput, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { LONGEST_ADDRESS, LONGEST_NAME, LONGEST_URL } from '../../api/limits.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { slugFault } from '../../frame/slug-fault.ts';
import { someOf } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { DomainLink } from '../../show/domain-link.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { hostOf } from '../../show/sender-host.ts';
import { domainOf, domainsQuery } from '../domains/domain-queries.ts';
import { type BrandDraft, changesOf, draftOf, reminderFault } from './brand-draft.ts';
import { BRANDS, type Brand } from './brand-queries.ts';
import { DoubleOptIn, TemplateOff } from './double-opt-in.tsx';

const MOST_DOMAINS = 3;

interface Given {
  /** What is changed; undefined: one is made. */
  readonly brand: Brand | undefined;
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

/** A brand in a dialog: whom its mails are from, and what they show. */
export function BrandForm({ brand, taken, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const { readAgain } = useSession();
  const [first] = useState(() => draftOf(brand));
  const [draft, setDraft] = useState(first);
  const { data } = useQuery(domainsQuery());
  const domains = data?.filter(({ verified }) => verified).map(({ domain }) => domain);
  const changes = changesOf(first, draft);
  const slug = draft.slug.trim();
  const isChanged = Object.keys(changes).length > 0 || slug !== first.slug;
  const save = useMutation({
    mutationFn: () => answerOf(api.PUT('/brands/{slug}', { params: { path: { slug } }, body: changes })),
    onSuccess: async ({ brand: saved }) => {
      onClose();
      notifyDone(`${saved.name} saved`);
      await Promise.all([queries.invalidateQueries({ queryKey: BRANDS }), readAgain()]);
    },
  });
  const { props, errorOf, close } = useForm({
    faults: {
      slug: brand ? undefined : slugFault(slug, taken, { thing: 'brand', called: 'slug' }),
      name: brand && !draft.name.trim() ? 'Enter a name' : undefined,
      'from.email': senderFault(draft, first, domains),
      confirmReminders: reminderFault(draft),
    },
    error: save.error,
    isPending: save.isPending,
    isUnsaved: isChanged && !save.isSuccess,
    onSubmit: save.mutate,
  });
  const set = (part: Partial<BrandDraft>): void => setDraft({ ...draft, ...part });
  return (
    <form {...props}>
      <Stack gap="md">
        <Names isNew={!brand} draft={draft} set={set} errorOf={errorOf} />
        <Senders draft={draft} set={set} errorOf={errorOf} domains={domains} />
        <Looks draft={draft} set={set} errorOf={errorOf} />
        <Checkbox
          label="Track opens and clicks of transactional emails too"
          size="sm"
          checked={draft.isTracked}
          onChange={(event) => set({ isTracked: event.currentTarget.checked })}
        />
        <DoubleOptIn slug={brand?.slug} draft={draft} set={set} errorOf={errorOf} />
        {first.isDefault ? null : (
          <Checkbox
            label="Default brand"
            description="Used when a request names no brand. Replaces the current default"
            size="sm"
            checked={draft.isDefault}
            onChange={(event) => set({ isDefault: event.currentTarget.checked })}
          />
        )}
        {save.error && isTemplateOff(save.error) ? <TemplateOff slug={slug} template={draft.template} /> : null}
        {save.error && !isTemplateOff(save.error) ? <FailureNotice error={save.error} /> : null}
        <FormEnd action={brand ? 'Save' : 'Add brand'} isPending={save.isPending} disabled={!isChanged} onCancel={close} />
      </Stack>
    </form>
  );
}

function isTemplateOff(error: unknown): boolean {
  return asFailure(error).details.code === 'template_not_enabled';
}

/** As the API would refuse it, said at the field. */
function senderFault({ email, sender }: BrandDraft, first: BrandDraft, domains: readonly string[] | undefined): string | undefined {
  const address = email.trim().toLowerCase();
  if (!address) return sender.trim() ? 'Enter an address' : undefined;
  const isOn = !domains || isOnDomain(address, domains);
  return isOn || email === first.email ? undefined : 'Use an address on a verified domain';
}

function isOnDomain(email: string, domains: readonly string[]): boolean {
  const found = domainOf(
    hostOf(email),
    domains.map((domain) => ({ domain })),
  );
  return found !== undefined;
}

interface PartGiven {
  readonly draft: BrandDraft;
  readonly set: (part: Partial<BrandDraft>) => void;
  readonly errorOf: (name: string) => string | undefined;
}

function Names({ isNew, draft, set, errorOf }: PartGiven & { readonly isNew: boolean }): ReactNode {
  return (
    <>
      {isNew ? (
        <TextInput
          label="Slug"
          description="Its name in the API. It cannot be changed later"
          required
          data-autofocus
          value={draft.slug}
          error={errorOf('slug')}
          onChange={(event) => set({ slug: event.currentTarget.value })}
        />
      ) : null}
      <TextInput
        label="Name"
        description="What recipients see"
        maxLength={LONGEST_NAME}
        required={!isNew}
        data-autofocus={isNew ? undefined : true}
        value={draft.name}
        error={errorOf('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
    </>
  );
}

/** Where a sender may be, and the way to what its domain lacks; nothing while that is not known. */
function domainWords(email: string, domains: readonly string[] | undefined): ReactNode {
  if (!domains) return undefined;
  const words = domains.length === 0 ? 'No domain is verified yet' : `On ${someOf(domains, MOST_DOMAINS)} or a subdomain`;
  if (domains.length > 0 && isOnDomain(email.trim(), domains)) return words;
  return (
    <>
      {words}. <DomainLink host={email.includes('@') ? hostOf(email.trim()) : ''}>Verify a domain</DomainLink>
    </>
  );
}

function Senders({ draft, set, errorOf, domains }: PartGiven & { readonly domains: readonly string[] | undefined }): ReactNode {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          label="From address"
          description={domainWords(draft.email, domains)}
          type="email"
          value={draft.email}
          error={errorOf('from.email')}
          onChange={(event) => set({ email: event.currentTarget.value })}
        />
        <TextInput
          label="From name"
          description="Leave empty to use the brand's name"
          maxLength={LONGEST_NAME}
          value={draft.sender}
          error={errorOf('from.name')}
          onChange={(event) => set({ sender: event.currentTarget.value })}
        />
      </SimpleGrid>
      <TextInput
        label="Reply-to address"
        description="Leave empty to use the from address"
        type="email"
        value={draft.replyTo}
        error={errorOf('replyTo')}
        onChange={(event) => set({ replyTo: event.currentTarget.value })}
      />
    </>
  );
}

function Looks({ draft, set, errorOf }: PartGiven): ReactNode {
  return (
    <>
      <Textarea
        label="Postal address"
        description="Shown at the end of marketing emails. Many countries require it"
        autosize
        minRows={2}
        maxLength={LONGEST_ADDRESS}
        value={draft.address}
        error={errorOf('address')}
        onChange={(event) => set({ address: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          label="Website"
          placeholder="https://example.com"
          maxLength={LONGEST_URL}
          value={draft.website}
          error={errorOf('website')}
          onChange={(event) => set({ website: event.currentTarget.value })}
        />
        <TextInput
          label="Logo"
          placeholder="https://example.com/logo.png"
          maxLength={LONGEST_URL}
          value={draft.logoUrl}
          error={errorOf('logoUrl')}
          onChange={(event) => set({ logoUrl: event.currentTarget.value })}
        />
      </SimpleGrid>
      <ColorInput
        label="Button color"
        placeholder="#1a73e8"
        withEyeDropper={false}
        value={draft.color}
        error={errorOf('color')}
        onChange={(color) => set({ color })}
      />
    </>
  );
}
