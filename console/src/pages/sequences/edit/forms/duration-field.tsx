import type { ReactNode } from 'react';
import type { FormGiven } from '../config-form.ts';
import { DurationInput } from '../duration-input.tsx';
import { useFault } from '../faults.tsx';
import { problemIn } from '../form-problems.ts';

const HOW_LONG = 'How long?';

interface Given extends FormGiven {
  readonly label: string;
  /** Of the setting, a number of minutes. */
  readonly name: string;
}

/** A time that a step has to have: as long as it is emptied, the step keeps the one before, and is not saved. */
export function DurationField({ config, onChange, label, name }: Given): ReactNode {
  const fault = useFault(name);
  const problem = problemIn(config, name);
  return (
    <DurationInput
      label={label}
      minutes={problem ? undefined : (config[name] as number)}
      usual="1440"
      error={problem ?? fault}
      onChange={(value) =>
        onChange({ ...config, ...(value ? { [name]: value } : {}) }, { problems: { [name]: value ? undefined : HOW_LONG } })
      }
    />
  );
}
