import { ActionIcon, Box, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { EventTypeInput } from '../../../frame/event-type-input.tsx';
import classes from '../sequences.module.css';
import { ConditionField } from './condition-field.tsx';
import { useFault } from './faults.tsx';
import { type FieldProblems, forgetTyped, noteProblems } from './form-problems.ts';
import type { GraphDraft } from './graph-draft.ts';

type Trigger = GraphDraft['triggers'][number];

/** As many as the API takes. */
const MOST_TRIGGERS = 50;

interface Given {
  readonly triggers: GraphDraft['triggers'];
  readonly onChange: (triggers: GraphDraft['triggers']) => void;
}

/** The events that enroll, each with what it must hold for. */
export function TriggersEditor({ triggers, onChange }: Given): ReactNode {
  const [added, setAdded] = useState<number>();
  useState(() => {
    for (const trigger of triggers) forgetTyped(trigger, ['type']);
  });
  const replace = (index: number, trigger: Trigger, problems: FieldProblems = {}): void => {
    noteProblems(trigger, { ...problems, type: trigger.config.type ? undefined : WHICH }, triggers[index]);
    onChange(triggers.with(index, trigger));
  };
  const add = (): void => {
    setAdded(triggers.length);
    const trigger: Trigger = { kind: 'event', config: { type: '' }, enabled: true };
    noteProblems(trigger, { type: WHICH });
    onChange([...triggers, trigger]);
  };
  return (
    <Stack gap="sm" role="group" aria-label="Entered by">
      {triggers.length === 0 ? (
        <Text size="xs" c="dimmed">
          Only whoever is enrolled by hand, or by a program, enters it.
        </Text>
      ) : null}
      {triggers.map((trigger, index) => (
        <TriggerEditor
          key={index}
          trigger={trigger}
          at={`triggers[${index}].config`}
          isNew={index === added}
          onChange={(next, problems) => replace(index, next, problems)}
          onRemove={() => onChange(triggers.toSpliced(index, 1))}
        />
      ))}
      <Button
        variant="default"
        w="fit-content"
        leftSection={<IconPlus size={14} />}
        disabled={triggers.length >= MOST_TRIGGERS}
        onClick={add}
      >
        Add event
      </Button>
    </Stack>
  );
}

const WHICH = 'Which event enters contacts?';

interface OneGiven {
  readonly trigger: Trigger;
  /** Where the graph has its settings. */
  readonly at: string;
  readonly isNew: boolean;
  readonly onChange: (trigger: Trigger, problems?: FieldProblems) => void;
  readonly onRemove: () => void;
}

function TriggerEditor({ trigger, at, isNew, onChange, onRemove }: OneGiven): ReactNode {
  const { config, enabled } = trigger;
  const { type, match } = config;
  const name = type || 'without a name';
  const fault = useFault(`${at}.type`);
  const typeProblem = type ? fault : 'Which event?';
  return (
    <Box role="group" aria-label={`Event ${name}`} className={classes.part}>
      <Group gap={6} wrap="nowrap" align="flex-end">
        <EventTypeInput
          label="Event"
          placeholder="signed_up"
          flex={1}
          autoFocus={isNew}
          value={type}
          error={typeProblem !== undefined}
          onChange={(next) => onChange({ ...trigger, config: { ...config, type: next } })}
        />
        <ActionIcon size={30} aria-label={`Remove event ${name}`} onClick={onRemove}>
          <IconTrash size={15} />
        </ActionIcon>
      </Group>
      {typeProblem ? (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {typeProblem}
        </Text>
      ) : null}
      <ConditionField
        label="Only if"
        whenEmpty="Everybody whom it is about"
        condition={match}
        hasEvent
        faultAt={`${at}.match`}
        onChange={(next, problem) => onChange({ ...trigger, config: { type, ...(next ? { match: next } : {}) } }, { match: problem })}
      />
      <Switch
        size="xs"
        label="On"
        description={enabled ? undefined : 'The event enters nobody'}
        checked={enabled}
        onChange={(event) => onChange({ ...trigger, enabled: event.currentTarget.checked })}
      />
    </Box>
  );
}
