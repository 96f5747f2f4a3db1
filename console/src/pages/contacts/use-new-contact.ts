import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { useForm } from '../../frame/form.tsx';
import { isWholeAddress } from '../../pasted-emails.ts';
import { notifyDone } from '../../show/notify.ts';
import { attributesFault } from './attribute-draft.ts';
import { consentFaults, consentOf, NO_CONSENT } from './consent-fields.tsx';
import { changesOf, draftOfContact } from './contact-draft.ts';
import { CONTACTS, type NewContactStatus } from './contact-queries.ts';

/** Of contacts that are made here; what is told to the API by programs has other ones. */
const SOURCE = 'console';

interface Made {
  readonly id: string;
  /** Nothing was changed then. */
  readonly wasThere: boolean;
}

/** What is typed of a new contact, and the calls that make it. */
export function useNewContact() {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [email, setEmail] = useState('');
  const [brand, setBrand] = useState<string | null>(null);
  const [status, setStatus] = useState<NewContactStatus>('subscribed');
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
      notifyDone(`${email.trim()} added`);
      await queries.invalidateQueries({ queryKey: CONTACTS });
      navigate(`/${id}`, { replace: true });
    },
  });
  const isTyped = email !== '' || consent !== NO_CONSENT || Object.keys(changesOf(draft)).length > 0;
  const form = useForm({
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
  return { email, setEmail, brand, setBrand, status, setStatus, consent, setConsent, draft, setDraft, create, form };
}

export function addressFault(email: string): string | undefined {
  if (email.trim() === '') return 'Enter an email address';
  // What is surely none is told before it is sent; the API knows the rest.
  return isWholeAddress(email.trim()) ? undefined : 'Enter an email address such as ada@example.com';
}
