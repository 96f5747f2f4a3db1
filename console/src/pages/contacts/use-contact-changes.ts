import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { notifyDone } from '../../show/notify.ts';
import { SUPPRESSIONS } from '../suppressions/suppression-queries.ts';
import { CONTACTS, type Contact } from './contact-queries.ts';

/** The calls that change a contact as a whole. `onDone`: one was made. */
export function useContactChanges({ id, email }: Pick<Contact, 'id' | 'email'>, onDone: () => void) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const path = { id };
  const done = async (message: string): Promise<void> => {
    onDone();
    notifyDone(message);
    await Promise.all([CONTACTS, SUPPRESSIONS].map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  const unsubscribe = useMutation({
    mutationFn: () => answerOf(api.POST('/contacts/{id}/unsubscribe', { params: { path } })),
    onSuccess: () => done(`${email} unsubscribed`),
  });
  const suppress = useMutation({
    mutationFn: () => answerOf(api.POST('/suppressions', { body: { email, reason: 'manual' } })),
    onSuccess: () => done(`${email} suppressed`),
  });
  const erase = useMutation({
    mutationFn: () => answerOf(api.DELETE('/contacts/{id}', { params: { path } })),
    onSuccess: async () => {
      navigate('/', { replace: true });
      queries.removeQueries({ queryKey: [...CONTACTS, id] });
      await done('Contact erased');
    },
  });
  return { unsubscribe, suppress, erase };
}
