import { Button, Group, SegmentedControl, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { timeZonesWith } from '../../show/time-zones.ts';
import { AttributesEditor } from '../contacts/attributes-editor.tsx';
import { ContactPicker } from './contact-picker.tsx';
import type { SimulationInput } from './sequence-queries.ts';
import classes from './sequences.module.css';
import { inputOf, objectIn, type SimulationDraft } from './simulation-draft.ts';

interface Given {
  readonly draft: SimulationDraft;
  readonly onChange: (draft: SimulationDraft) => void;
  readonly isRunning: boolean;
  readonly onRun: (input: SimulationInput) => void;
}

/** Of time zones at a time. */
const MOST_OFFERED = 40;
const NOT_JSON = 'Not a JSON object';

/** Whom to send through the graph, and with which event. */
export function SimulationForm({ draft, onChange, isRunning, onRun }: Given): ReactNode {
  const { may } = useSession();
  const input = inputOf(draft);
  const set = (change: Partial<SimulationDraft>): void => onChange({ ...draft, ...change });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (input) onRun(input);
  };
  return (
    <Panel title="Contact and event">
      <form onSubmit={submit}>
        <Stack gap="sm">
          {may('contacts:read') ? (
            <SegmentedControl
              size="xs"
              fullWidth
              aria-label="Which contact"
              data={[
                { value: 'made-up', label: 'Made up' },
                { value: 'own', label: 'Of the project' },
              ]}
              value={draft.isMadeUp ? 'made-up' : 'own'}
              onChange={(value) => set({ isMadeUp: value === 'made-up' })}
            />
          ) : null}
          {draft.isMadeUp ? <MadeUp draft={draft} set={set} /> : <OwnContact draft={draft} set={set} />}
          <TextInput
            label="Event that arrives"
            placeholder="None"
            size="xs"
            value={draft.eventType}
            onChange={(event) => set({ eventType: event.currentTarget.value })}
          />
          {draft.eventType.trim() ? (
            <Textarea
              label="Its data"
              placeholder='{ "amount": 20 }'
              size="xs"
              autosize
              minRows={2}
              classNames={{ input: classes.mono }}
              value={draft.payload}
              onChange={(event) => set({ payload: event.currentTarget.value })}
              error={objectIn(draft.payload) ? undefined : NOT_JSON}
            />
          ) : null}
          <Group justify="flex-end">
            <Button type="submit" loading={isRunning} disabled={!input}>
              Simulate
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

interface PartGiven {
  readonly draft: SimulationDraft;
  readonly set: (change: Partial<SimulationDraft>) => void;
}

function MadeUp({ draft, set }: PartGiven): ReactNode {
  return (
    <>
      <Group gap="xs" grow align="flex-start">
        <Select
          label="Status"
          size="xs"
          allowDeselect={false}
          data={[
            { value: 'subscribed', label: 'Subscribed' },
            { value: 'pending', label: 'Pending' },
            { value: 'unsubscribed', label: 'Unsubscribed' },
            { value: 'bounced', label: 'Bounced' },
          ]}
          value={draft.status}
          onChange={(status) => status && set({ status: status as SimulationDraft['status'] })}
        />
        <Select
          label="Time zone"
          placeholder="Not known"
          size="xs"
          searchable
          clearable
          limit={MOST_OFFERED}
          data={timeZonesWith(draft.timezone)}
          value={draft.timezone || null}
          onChange={(timezone) => set({ timezone: timezone ?? '' })}
        />
      </Group>
      <div>
        <Text size="xs" fw={500} mb={4}>
          Attributes
        </Text>
        <AttributesEditor attributes={draft.attributes} onChange={(attributes) => set({ attributes })} />
      </div>
      <TagsInput label="Tags" size="xs" value={[...draft.tags]} onChange={(tags) => set({ tags })} />
    </>
  );
}

function OwnContact({ draft, set }: PartGiven): ReactNode {
  return (
    <ContactPicker
      label="Contact"
      placeholder="Search address or name"
      contactId={draft.contactId}
      onChange={(contactId) => set({ contactId })}
    />
  );
}
