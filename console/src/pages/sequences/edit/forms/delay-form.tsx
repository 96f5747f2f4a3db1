import type { ReactNode } from 'react';
import type { FormGiven } from '../config-form.ts';
import { DurationField } from './duration-field.tsx';

/** For how long a step waits. */
export function DelayForm(given: FormGiven): ReactNode {
  return <DurationField {...given} label="Wait" name="minutes" />;
}
