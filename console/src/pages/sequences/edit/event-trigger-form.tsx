import type { ReactNode } from 'react';
import { EventTypeInput } from '../../../frame/event-type-input.tsx';
import { ConditionField } from './condition-field.tsx';
import { useFault } from './faults.tsx';
import type { TriggerGiven } from './trigger-draft.ts';
import { TriggerPart } from './trigger-part.tsx';

/** An event that enrolls, and what it must hold for. */
export function EventTriggerForm({ trigger, at, isNew, onChange, onRemove }: TriggerGiven<'event'>): ReactNode {
  const { config, enabled } = trigger;
  const { type, match } = config;
  const fault = useFault(`${at}.type`);
  const problem = type ? fault : 'Choose an event';
  return (
    <TriggerPart
      name={`event ${type || '(not chosen)'}`}
      problem={problem}
      enabled={enabled}
      off="This event enrolls nobody"
      onEnabled={(on) => onChange({ ...trigger, enabled: on })}
      onRemove={onRemove}
      field={
        <EventTypeInput
          label="Event"
          placeholder="signed_up"
          flex={1}
          autoFocus={isNew}
          value={type}
          error={problem !== undefined}
          onChange={(next) => onChange({ ...trigger, config: { ...config, type: next } })}
        />
      }
    >
      <ConditionField
        label="Only if"
        whenEmpty="Everyone"
        condition={match}
        hasEvent
        faultAt={`${at}.match`}
        onChange={(next, fault) => onChange({ ...trigger, config: { type, ...(next ? { match: next } : {}) } }, { match: fault })}
      />
    </TriggerPart>
  );
}
