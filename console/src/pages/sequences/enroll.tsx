import { Alert, Button, Group, List, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { addressesIn } from '../../addresses.ts';
import { randomKey } from '../../api/random-key.ts';
import { FormDialog, FormEnd, useForm } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { ContactPicker } from './contact-picker.tsx';
import { enrollAll, MOST_ADDRESSES, type Outcome } from './enrolling.ts';
import { SEQUENCES, type SequenceGraph } from './sequence-queries.ts';
import classes from './sequences.module.css';

/** Enters contacts into an active sequence by hand, for keys that may. */
export function Enroll({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const { may } = useSession();
  if (!may('sequences:write')) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconUserPlus size={14} />} onClick={() => setIsOpen(true)}>
        Enroll…
      </Button>
      <FormDialog opened={isOpen} onClose={() => setIsOpen(false)} title={`Enroll into ${graph.name}`}>
        <EnrollForm graph={graph} />
      </FormDialog>
    </>
  );
}

function EnrollForm({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const { may } = useSession();
  const canSearch = may('contacts:read');
  const [isOne, setIsOne] = useState(canSearch);
  const [contactId, setContactId] = useState('');
  const [text, setText] = useState('');
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const queries = useQueryClient();
  const keys = useRef(new Map<string, string>());
  const keyOf = (who: string): string => {
    const key = keys.current.get(who) ?? randomKey();
    keys.current.set(who, key);
    return key;
  };
  const addresses = addressesIn(text);
  const tooMany = addresses.length > MOST_ADDRESSES;
  const count = isOne ? Number(contactId !== '') : addresses.length;
  const enroll = useMutation({
    mutationFn: async () => {
      setOutcomes([]);
      const add = (outcome: Outcome): void => setOutcomes((before) => [...before, outcome]);
      await enrollAll(graph.key, isOne ? [{ contactId }] : addresses.map((email) => ({ email })), keyOf, add);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: SEQUENCES }),
  });
  const entered = outcomes.filter(({ refusal }) => refusal === undefined);
  const refused = outcomes.filter(({ refusal }) => refusal !== undefined);
  const change = (to: () => void): void => {
    to();
    // What is done is done: the same one again is another attempt.
    if (enroll.isSuccess) keys.current.clear();
    enroll.reset();
    setOutcomes([]);
  };
  const tooManyFault = tooMany ? `${addresses.length} addresses; at most ${MOST_ADDRESSES} at once` : undefined;
  const { props, errorOf, close } = useForm({
    faults: isOne
      ? { contactId: contactId ? undefined : 'Choose a contact' }
      : { email: count > 0 ? tooManyFault : 'Fill in an address at least' },
    error: enroll.error,
    isPending: enroll.isPending,
    isUnsaved: text.trim() !== '' && !enroll.isSuccess,
    onSubmit: () => enroll.isSuccess || enroll.mutate(),
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm">
          {isOne
            ? 'The contact enters at the start, now.'
            : 'Each enters at the start, now. Only contacts of the project can: the other addresses are named afterwards.'}
        </Text>
        {canSearch ? (
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label="Who"
            data={[
              { value: 'one', label: 'One contact' },
              { value: 'several', label: 'Several addresses' },
            ]}
            value={isOne ? 'one' : 'several'}
            onChange={(value) => change(() => setIsOne(value === 'one'))}
          />
        ) : null}
        {isOne ? (
          <ContactPicker
            label="Contact"
            placeholder="Search address or name"
            contactId={contactId}
            isFirst
            required
            error={errorOf('contactId')}
            onChange={(id) => change(() => setContactId(id))}
          />
        ) : (
          <Textarea
            label="Emails"
            description={`One a line, at most ${MOST_ADDRESSES}`}
            placeholder={'ada@example.com\ngrace@example.com'}
            autosize
            minRows={4}
            maxRows={10}
            spellCheck={false}
            required
            data-autofocus
            value={text}
            error={tooManyFault ?? errorOf('email')}
            onChange={({ currentTarget: { value } }) => change(() => setText(value))}
          />
        )}
        <Results entered={entered} refused={refused} total={enroll.isPending ? count : undefined} isOne={isOne} />
        {enroll.error ? <FailureNotice error={enroll.error} /> : null}
        {enroll.isSuccess ? (
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Close
            </Button>
          </Group>
        ) : (
          <FormEnd action={count > 1 ? `Enroll ${count} contacts` : 'Enroll'} isPending={enroll.isPending} onCancel={close} />
        )}
      </Stack>
    </form>
  );
}

interface ResultsGiven {
  readonly entered: readonly Outcome[];
  readonly refused: readonly Outcome[];
  /** While they are enrolled, one after the other. */
  readonly total: number | undefined;
  /** The one that was chosen needs no name. */
  readonly isOne: boolean;
}

/** Who has entered, and who has not and why. */
function Results({ entered, refused, total, isOne }: ResultsGiven): ReactNode {
  const done = entered.length + refused.length;
  const title = entered.length === 0 ? 'Nobody enrolled' : `${entered.length} enrolled`;
  return (
    <div role="status">
      {total !== undefined && total > 1 ? (
        <Text size="sm" c="dimmed">
          {done} of {total}…
        </Text>
      ) : null}
      {total === undefined && done > 0 ? (
        <Alert color={refused.length > 0 ? 'orange' : 'teal'} title={refused.length > 0 ? `${title}, ${refused.length} not` : title}>
          {refused.length > 0 ? (
            <List size="sm" className={classes.refused} tabIndex={0} aria-label="Not enrolled">
              {refused.map(({ who, refusal }) => (
                <List.Item key={who}>
                  {isOne ? null : `${who}: `}
                  {refusal}
                </List.Item>
              ))}
            </List>
          ) : null}
        </Alert>
      ) : null}
    </div>
  );
}
