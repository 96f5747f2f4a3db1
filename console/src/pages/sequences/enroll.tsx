import { Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { FormDialog, FormEnd } from '../../frame/form.tsx';
import { uncapitalized } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { contactQuery } from '../contacts/contact-queries.ts';
import { REASONS } from '../suppressions/reasons.ts';
import { suppressionOf } from '../suppressions/suppression-queries.ts';
import { ContactPicker } from './contact-picker.tsx';
import { EnrollResults } from './enroll-results.tsx';
import { MOST_ADDRESSES } from './enrolling.ts';
import type { SequenceGraph } from './sequence-queries.ts';
import { useEnrolling } from './use-enrolling.ts';

/** Enters contacts into an active sequence by hand, for keys that may. */
export function Enroll({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const { may } = useSession();
  if (!may('POST /sequences/{key}/enroll')) return null;
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
  const canSearch = may('GET /contacts');
  const { isOne, contactId, text, count, tooMany, outcomes, enroll, form, set } = useEnrolling(graph.key, canSearch);
  const { props, errorOf, close } = form;
  return (
    <form {...props}>
      <Stack gap="md">
        <Text size="sm">
          {isOne
            ? 'The contact starts now, from the first step.'
            : 'Everyone starts now, from the first step. Only existing contacts can be enrolled; other addresses are listed afterwards.'}
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
            onChange={(value) => set({ isOne: value === 'one' })}
          />
        ) : null}
        {isOne ? (
          <ContactPicker
            label="Contact"
            placeholder="Search by email or name"
            contactId={contactId}
            isFirst
            required
            error={errorOf('contactId')}
            onChange={(id) => set({ contactId: id })}
          />
        ) : (
          <Textarea
            label="Emails"
            description={`One per line, up to ${MOST_ADDRESSES}`}
            placeholder={'ada@example.com\ngrace@example.com'}
            autosize
            minRows={4}
            maxRows={10}
            spellCheck={false}
            required
            data-autofocus
            value={text}
            error={tooMany ?? errorOf('email')}
            onChange={(event) => set({ text: event.currentTarget.value })}
          />
        )}
        {isOne ? <SuppressedNotice contactId={contactId} /> : null}
        <EnrollResults outcomes={outcomes} total={enroll.isPending ? count : undefined} isOne={isOne} />
        {enroll.error ? <FailureNotice error={enroll.error} /> : null}
        {enroll.isSuccess ? (
          <Group justify="flex-end" gap="xs">
            {outcomes.some(({ refusal }) => refusal === undefined || (isOne && refusal.isByEarlierRuns)) ? (
              <Button
                component={Link}
                variant="default"
                onClick={close}
                href={runsOf(graph.key, count === 1 ? outcomes[0]?.run : undefined, isOne ? contactId : undefined)}
              >
                View {count === 1 ? 'run' : 'runs'}
              </Button>
            ) : null}
            <Button variant="default" autoFocus onClick={close}>
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

/** A suppressed contact enters like any other, and gets nothing. */
function SuppressedNotice({ contactId }: { readonly contactId: string }): ReactNode {
  const { may } = useSession();
  const { data: contact } = useQuery({ ...contactQuery(contactId), enabled: contactId !== '' });
  const email = contact?.email ?? '';
  const { data: suppression } = useQuery({ ...suppressionOf(email), enabled: email !== '' && may('GET /suppressions') });
  if (!suppression) return null;
  return (
    <Text size="sm" role="status">
      {email} is suppressed ({uncapitalized(REASONS[suppression.reason].label)}). The run starts, but its emails are left out.
    </Text>
  );
}

/** One that has just begun, or all, where those are the first; of whoever was there before its own. */
function runsOf(sequence: string, run: string | undefined, contactId: string | undefined): string {
  const runs = `/sequences/${encodeURIComponent(sequence)}/runs`;
  return inConsole(run ? `${runs}/${run}` : `${runs}${contactId ? `?contactId=${contactId}` : ''}`);
}
