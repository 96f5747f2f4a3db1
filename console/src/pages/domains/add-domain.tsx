import { Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { DOMAINS, type Domain, domainQuery } from './domain-queries.ts';

interface Given {
  readonly taken: readonly Domain[];
  /** What to begin with; '' when nothing is known. */
  readonly host: string;
  readonly onClose: () => void;
}

/** Adds a domain and leads to the records to set. Of an address, or of that of a website, it takes the domain. */
export function AddDomain({ taken, host, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState(host);
  const domain = domainIn(text);
  const add = useMutation({
    mutationFn: async () => (await answerOf(api.POST('/domains', { body: { domain } }))).domain,
    onSuccess: async (added) => {
      const isNew = taken.every(({ id }) => id !== added.id);
      notifyDone(isNew ? `${added.domain} added` : `${added.domain} was added before`);
      queries.setQueryData(domainQuery(added.id).queryKey, added);
      onClose();
      navigate(`/${added.id}`);
      await queries.invalidateQueries({ queryKey: DOMAINS });
    },
  });
  const { props, errorOf, close } = useForm({
    faults: { domain: domain ? undefined : 'Enter a domain' },
    error: add.error,
    isPending: add.isPending,
    isUnsaved: text !== host && !add.isSuccess,
    onSubmit: add.mutate,
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <TextInput
          label="Domain"
          description="The part behind the @ of your senders. You need access to its DNS. A subdomain such as mail.example.com keeps the reputation of your website's domain apart"
          placeholder="example.com"
          required
          data-autofocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          error={errorOf('domain')}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {add.error ? <FailureNotice error={add.error} /> : null}
        <FormEnd action="Add domain" isPending={add.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}

/** As people paste it: `https://acme.example/about` and `hello@acme.example` are on acme.example. */
function domainIn(text: string): string {
  return text
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/\.$/, '');
}
