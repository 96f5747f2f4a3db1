import { Button, Checkbox, Group, SegmentedControl, Select, Stack, TagsInput, Text, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { EventTypeInput } from '../../frame/event-type-input.tsx';
import { useForm } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { timeZonesWith } from '../../show/time-zones.ts';
import { attributesFault } from '../contacts/attribute-draft.ts';
import { AttributesEditor } from '../contacts/attributes-editor.tsx';
import { CONTACT_STATUSES } from '../contacts/contact-status.ts';
import { ContactPicker } from './contact-picker.tsx';
import type { ExampleEvent } from './example-event.ts';
import type { SimulationInput } from './sequence-queries.ts';
import classes from './sequences.module.css';
import { eventOf, inputOf, objectIn, type SimulationDraft } from './simulation-draft.ts';

interface Given {
  readonly draft: SimulationDraft;
  /** What comes as long as no other event is typed. */
  readonly example: ExampleEvent;
  /** Types of events that the sequence knows, offered first. */
  readonly ownEvents: readonly string[];
  /** Whether contacts enter on a date of theirs. */
  readonly isByDate: boolean;
  readonly onChange: (draft: SimulationDraft) => void;
  readonly isRunning: boolean;
  /** Why it could not be simulated, if so. */
  readonly error: unknown;
  readonly onRun: (input: SimulationInput) => void;
}

/** Of time zones at a time. */
const MOST_OFFERED = 40;
const NOT_JSON = 'Enter a JSON object';

/** Whom to send through the graph, and with which event. */
export function SimulationForm({ draft, example, ownEvents, isByDate, onChange, isRunning, error, onRun }: Given): ReactNode {
  const { may } = useSession();
  const input = inputOf(draft, example);
  const event = eventOf(draft, example);
  const set = (change: Partial<SimulationDraft>): void => onChange({ ...draft, ...change });
  const { props, errorOf } = useForm({
    faults: {
      ...(draft.isMadeUp
        ? { 'contact.attributes': attributesFault(draft.attributes) }
        : { contactId: draft.contactId ? undefined : 'Choose a contact' }),
      'event.payload': input || !event.type || objectIn(event.payload) ? undefined : NOT_JSON,
    },
    error,
    isPending: isRunning,
    // Nothing is made by it.
    isUnsaved: false,
    onSubmit: () => input && onRun(input),
  });
  return (
    <Panel title="Contact and event">
      <form {...props}>
        <Stack gap="sm">
          {may('GET /contacts') ? (
            <SegmentedControl
              size="xs"
              fullWidth
              aria-label="Contact"
              data={[
                { value: 'made-up', label: 'Example' },
                { value: 'own', label: 'Existing contact' },
              ]}
              value={draft.isMadeUp ? 'made-up' : 'own'}
              onChange={(value) => set({ isMadeUp: value === 'made-up' })}
            />
          ) : null}
          {draft.isMadeUp ? <MadeUp draft={draft} set={set} errorOf={errorOf} /> : <OwnContact draft={draft} set={set} errorOf={errorOf} />}
          <EventFields draft={draft} example={example} ownEvents={ownEvents} set={set} />
          {isByDate ? (
            <Text size="xs" c="dimmed">
              The simulation starts now rather than on the date.
            </Text>
          ) : null}
          <Group justify="flex-end">
            <Button type="submit" loading={isRunning}>
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
  readonly errorOf: (name: string) => string | undefined;
}

function MadeUp({ draft, set, errorOf }: PartGiven): ReactNode {
  return (
    <>
      <Group gap="xs" grow align="flex-start">
        <Select
          label="Status"
          size="xs"
          allowDeselect={false}
          data={choicesOf(CONTACT_STATUSES)}
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
        <AttributesEditor
          attributes={draft.attributes}
          onChange={(attributes) => set({ attributes })}
          error={errorOf('contact.attributes')}
        />
      </div>
      <TagsInput label="Tags" size="xs" value={[...draft.tags]} onChange={(tags) => set({ tags })} />
    </>
  );
}

function OwnContact({ draft, set, errorOf }: PartGiven): ReactNode {
  return (
    <>
      <ContactPicker
        label="Contact"
        placeholder="Search by email or name"
        contactId={draft.contactId}
        required
        error={errorOf('contactId')}
        onChange={(contactId) => set({ contactId })}
      />
      <Checkbox
        size="xs"
        label="Ignore earlier runs"
        description="Simulate as if the contact had never been in this sequence"
        checked={draft.asIfNotEnrolled}
        onChange={(event) => set({ asIfNotEnrolled: event.currentTarget.checked })}
      />
    </>
  );
}

type EventGiven = Pick<PartGiven, 'draft' | 'set'> & Pick<Given, 'example' | 'ownEvents'>;

function EventFields({ draft, example, ownEvents, set }: EventGiven): ReactNode {
  const { type, payload } = eventOf(draft, example);
  return (
    <>
      <EventTypeInput
        label="Event"
        placeholder="None"
        first={ownEvents}
        value={draft.eventType ?? example.type}
        onChange={(eventType) => set({ eventType })}
      />
      {type ? (
        <Textarea
          label="Event data"
          description={draft.payload === undefined && payload ? 'An example, with the event fields that this sequence reads' : undefined}
          placeholder={example.payload || '{}'}
          size="xs"
          autosize
          minRows={2}
          classNames={{ input: classes.mono }}
          value={payload}
          onChange={(event) => set({ payload: event.currentTarget.value })}
          error={objectIn(payload) ? undefined : NOT_JSON}
        />
      ) : null}
    </>
  );
}
