import { Button, Group, SegmentedControl, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
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
        <TextInput
          label="Time zone"
          placeholder="Europe/Berlin"
          size="xs"
          value={draft.timezone}
          onChange={(event) => set({ timezone: event.currentTarget.value })}
        />
      </Group>
      <Textarea
        label="Attributes"
        placeholder='{ "plan": "pro" }'
        size="xs"
        autosize
        minRows={2}
        classNames={{ input: classes.mono }}
        value={draft.attributes}
        onChange={(event) => set({ attributes: event.currentTarget.value })}
        error={objectIn(draft.attributes) ? undefined : NOT_JSON}
      />
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
