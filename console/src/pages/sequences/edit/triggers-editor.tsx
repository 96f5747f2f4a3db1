import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { DateTriggerForm } from './date-trigger-form.tsx';
import { EventTriggerForm } from './event-trigger-form.tsx';
import { type FieldProblems, forgetTyped, noteProblems } from './form-problems.ts';
import type { GraphDraft } from './graph-draft.ts';
import { SegmentTriggerForm } from './segment-trigger-form.tsx';
import { type Trigger, unsaidOf } from './trigger-draft.ts';

/** As many as the API takes. */
const MOST_TRIGGERS = 50;

const FIRST: { readonly [K in Trigger['kind']]: () => Trigger } = {
  event: () => ({ kind: 'event', config: { type: '' }, enabled: true }),
  segment: () => ({ kind: 'segment', config: { segment: '' }, enabled: true }),
  date: () => ({ kind: 'date', config: { attribute: '', every: 'year', at: '09:00', timezone: 'contact' }, enabled: true }),
};

interface Given {
  readonly triggers: GraphDraft['triggers'];
  readonly reentry: GraphDraft['reentry'];
  readonly onChange: (triggers: GraphDraft['triggers']) => void;
}

/** What enters contacts: events, each with what it must hold for, segments and dates. */
export function TriggersEditor({ triggers, reentry, onChange }: Given): ReactNode {
  const [added, setAdded] = useState<number>();
  useState(() => {
    for (const trigger of triggers) forgetTyped(trigger, ['type', 'segment', 'attribute', 'at']);
  });
  const replace = (index: number, trigger: Trigger, problems: FieldProblems = {}): void => {
    noteProblems(trigger, { ...problems, ...unsaidOf(trigger) }, triggers[index]);
    onChange(triggers.with(index, trigger));
  };
  const add = (kind: Trigger['kind']): void => {
    setAdded(triggers.length);
    const trigger = FIRST[kind]();
    noteProblems(trigger, unsaidOf(trigger));
    onChange([...triggers, trigger]);
  };
  const adding = (kind: Trigger['kind'], words: string): ReactNode => (
    <Button variant="default" leftSection={<IconPlus size={14} />} disabled={triggers.length >= MOST_TRIGGERS} onClick={() => add(kind)}>
      {words}
    </Button>
  );
  return (
    <Stack gap="sm" role="group" aria-label="Entered by">
      {triggers.length === 0 ? (
        <Text size="xs" c="dimmed">
          Contacts enter only when enrolled manually or by the API.
        </Text>
      ) : null}
      {triggers.map((trigger, index) => {
        const place = {
          at: `triggers[${index}].config`,
          isNew: index === added,
          onChange: (next: Trigger, problems?: FieldProblems) => replace(index, next, problems),
          onRemove: () => onChange(triggers.toSpliced(index, 1)),
        };
        if (trigger.kind === 'event') return <EventTriggerForm key={index} trigger={trigger} {...place} />;
        if (trigger.kind === 'segment') return <SegmentTriggerForm key={index} trigger={trigger} {...place} />;
        return <DateTriggerForm key={index} trigger={trigger} isOnceOnly={reentry === 'once_ever'} {...place} />;
      })}
      <Group gap="xs">
        {adding('event', 'Add event')}
        {adding('segment', 'Add segment')}
        {adding('date', 'Add date')}
      </Group>
    </Stack>
  );
}
