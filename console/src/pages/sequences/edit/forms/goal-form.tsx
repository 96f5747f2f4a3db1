import type { ReactNode } from 'react';
import { type Condition, ConditionField } from '../condition-field.tsx';
import type { FormGiven } from '../config-form.ts';

/** Who has reached the goal that a step is. */
export function GoalForm({ config, onChange }: FormGiven): ReactNode {
  const { condition } = config as { readonly condition?: Condition };
  return (
    <ConditionField
      label="Reached, if"
      whenEmpty="Everyone who gets here"
      condition={condition}
      hasEvent
      faultAt="condition"
      onChange={(next, problem) => onChange(next ? { condition: next } : {}, { problems: { condition: problem } })}
    />
  );
}
