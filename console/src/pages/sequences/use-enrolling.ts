import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { randomKey } from '../../api/random-key.ts';
import { useForm } from '../../frame/form.tsx';
import { addressesIn } from '../../pasted-emails.ts';
import { enrollAll, MOST_ADDRESSES, type Outcome } from './enrolling.ts';
import { SEQUENCES } from './sequence-queries.ts';

/** Whom to enroll: one contact, or several addresses as typed. */
interface Chosen {
  readonly isOne: boolean;
  readonly contactId: string;
  readonly text: string;
}

/** Who is chosen, the calls that enroll them one after the other, and what became of each. `sequence`: its key. */
export function useEnrolling(sequence: string, isOneFirst: boolean) {
  const [chosen, setChosen] = useState<Chosen>({ isOne: isOneFirst, contactId: '', text: '' });
  const { isOne, contactId, text } = chosen;
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const queries = useQueryClient();
  const keys = useRef(new Map<string, string>());
  const keyOf = (who: string): string => {
    const key = keys.current.get(who) ?? randomKey();
    keys.current.set(who, key);
    return key;
  };
  const addresses = addressesIn(text);
  const count = isOne ? Number(contactId !== '') : addresses.length;
  const tooMany = addresses.length > MOST_ADDRESSES ? `${addresses.length} addresses. Enroll up to ${MOST_ADDRESSES} at a time` : undefined;
  const enroll = useMutation({
    mutationFn: async () => {
      setOutcomes([]);
      const add = (outcome: Outcome): void => setOutcomes((before) => [...before, outcome]);
      await enrollAll(sequence, isOne ? [{ contactId }] : addresses.map((email) => ({ email })), keyOf, add);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: SEQUENCES }),
  });
  const set = (changed: Partial<Chosen>): void => {
    setChosen({ ...chosen, ...changed });
    // What is done is done: the same one again is another attempt.
    if (enroll.isSuccess) keys.current.clear();
    enroll.reset();
    setOutcomes([]);
  };
  const form = useForm({
    faults: isOne
      ? { contactId: contactId ? undefined : 'Choose a contact' }
      : { email: count > 0 ? tooMany : 'Enter at least one address' },
    error: enroll.error,
    isPending: enroll.isPending,
    isUnsaved: text.trim() !== '' && !enroll.isSuccess,
    onSubmit: () => enroll.isSuccess || enroll.mutate(),
  });
  return { ...chosen, count, tooMany, outcomes, enroll, form, set };
}
