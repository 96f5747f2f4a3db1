import { Group, NumberInput, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { EventTypeInput } from '../../../frame/event-type-input.tsx';
import type { EventDraft } from '../condition-draft.ts';
import type { RuleGiven } from './rule-given.ts';
import { RuleWord } from './rule-word.tsx';
import { Within } from './within.tsx';

const HAPPENED = 'happened';
const OUTCOMES = [HAPPENED, 'did not happen'];

/** That a product event came or did not, how often and when. */
export function EventRule({ rule, onChange, isAsked }: RuleGiven<EventDraft>): ReactNode {
  return (
    <Group gap={6} flex={1}>
      <EventTypeInput
        aria-label="Event type"
        flex={1}
        miw={160}
        leftSectionWidth={56}
        leftSection={<RuleWord>Event</RuleWord>}
        placeholder="signed_up"
        value={rule.type}
        error={isAsked && rule.type === ''}
        onChange={(type) => onChange({ ...rule, type })}
      />
      <Select
        aria-label="Event outcome"
        size="xs"
        w={166}
        miw={166}
        allowDeselect={false}
        data={OUTCOMES}
        value={OUTCOMES[Number(rule.isNot)]}
        onChange={(outcome) => onChange({ ...rule, isNot: outcome !== HAPPENED })}
      />
      <NumberInput
        aria-label="Minimum count"
        size="xs"
        w={120}
        min={1}
        allowDecimal={false}
        prefix="at least "
        suffix=" ×"
        placeholder="at least 1 ×"
        value={rule.atLeast ?? ''}
        onChange={(count) => onChange({ ...rule, atLeast: Number(count) || null })}
      />
      <Within hours={rule.withinHours} onChange={(withinHours) => onChange({ ...rule, withinHours })} />
    </Group>
  );
}
