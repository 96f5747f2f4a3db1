import { ActionIcon, Box, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { EventTypeInput } from '../../../frame/event-type-input.tsx';
import classes from '../sequences.module.css';
import { ConditionField, forgetRules } from './condition-field.tsx';
import { noteProblem, problemIn } from './form-problems.ts';
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
  useState(() => triggers.forEach(forgetRules));
  const replace = (index: number, trigger: Trigger, rules?: RulesChange): void => {
    const before = problemIn(triggers[index]);
    const ofRules = rules ? rules.problem : before === WHICH ? undefined : before;
    noteProblem(trigger, trigger.config.type ? ofRules : WHICH);
    onChange(triggers.with(index, trigger));
  };
  const add = (): void => {
    setAdded(triggers.length);
    const trigger: Trigger = { kind: 'event', config: { type: '' }, enabled: true };
    noteProblem(trigger, WHICH);
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
          isNew={index === added}
          onChange={(next, rules) => replace(index, next, rules)}
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

/** The rules were changed; else they are as they were. */
interface RulesChange {
  readonly problem: string | undefined;
}

interface OneGiven {
  readonly trigger: Trigger;
  readonly isNew: boolean;
  readonly onChange: (trigger: Trigger, rules?: RulesChange) => void;
  readonly onRemove: () => void;
}

function TriggerEditor({ trigger, isNew, onChange, onRemove }: OneGiven): ReactNode {
  const { config, enabled } = trigger;
  const { type, match } = config;
  const name = type || 'without a name';
  return (
    <Box role="group" aria-label={`Event ${name}`} className={classes.part}>
      <Group gap={6} wrap="nowrap" align="flex-end">
        <EventTypeInput
          label="Event"
          placeholder="signed_up"
          flex={1}
          autoFocus={isNew}
          value={type}
          onChange={(next) => onChange({ ...trigger, config: { ...config, type: next } })}
        />
        <ActionIcon size={30} aria-label={`Remove event ${name}`} onClick={onRemove}>
          <IconTrash size={15} />
        </ActionIcon>
      </Group>
      {type ? null : (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          Which event?
        </Text>
      )}
      <ConditionField
        label="Only if"
        whenEmpty="Everybody whom it is about"
        condition={match}
        hasEvent
        onChange={(next, problem) => onChange({ ...trigger, config: { type, ...(next ? { match: next } : {}) } }, { problem })}
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
