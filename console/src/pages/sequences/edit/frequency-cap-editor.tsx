import { NumberInput, Stack, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { MOST_CAP_HOURS } from '../../../api/limits.ts';
import { CAP_WAIT } from '../settings-words.ts';
import { DurationInput } from './duration-input.tsx';
import { useFault } from './faults.tsx';
import { noteProblems } from './form-problems.ts';
import type { GraphDraft } from './graph-draft.ts';

type Cap = NonNullable<GraphDraft['frequencyCap']>;

const FIRST: Cap = { count: 3, windowHours: 168 };

interface Given {
  readonly cap: GraphDraft['frequencyCap'];
  readonly onChange: (cap: GraphDraft['frequencyCap']) => void;
}

/** How many marketing mails a contact gets at most. */
export function FrequencyCapEditor({ cap, onChange }: Given): ReactNode {
  const [countFault, windowFault] = [useFault('frequencyCap.count'), useFault('frequencyCap.windowHours')];
  const tell = (next: Cap): void => {
    noteProblems(next, { count: ofCap(countProblem(next)), windowHours: ofCap(windowProblem(next)) });
    onChange(next);
  };
  return (
    <Stack gap="sm" role="group" aria-label="Frequency cap">
      <Switch
        size="xs"
        label="Limit marketing email"
        description={`Counts a contact's marketing email across the project, test emails too. An email over the limit waits up to ${CAP_WAIT}, then it is skipped`}
        checked={cap !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? FIRST : null)}
      />
      {cap ? (
        <>
          <NumberInput
            label="Maximum emails"
            size="xs"
            min={0}
            allowDecimal={false}
            value={cap.count || ''}
            error={countProblem(cap) ?? countFault}
            onChange={(value) => tell({ ...cap, count: Number(value) || 0 })}
          />
          <DurationInput
            label="Within"
            usual="1440"
            minutes={cap.windowHours ? cap.windowHours * 60 : undefined}
            error={windowProblem(cap) ?? windowFault}
            onChange={(minutes) => tell({ ...cap, windowHours: (minutes ?? 0) / 60 })}
          />
        </>
      ) : null}
    </Stack>
  );
}

/** Where it stands among others. */
function ofCap(problem: string | undefined): string | undefined {
  return problem && `Frequency cap: ${problem.toLowerCase()}`;
}

function countProblem({ count }: Cap): string | undefined {
  return count >= 1 ? undefined : 'How many?';
}

function windowProblem({ windowHours }: Cap): string | undefined {
  if (windowHours <= 0) return 'How long?';
  return windowHours <= MOST_CAP_HOURS ? undefined : 'A year at most';
}
