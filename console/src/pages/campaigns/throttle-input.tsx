import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type CampaignDraft, type ProblemOf, rateProblem } from './campaign-draft.ts';

interface Given {
  readonly draft: Pick<CampaignDraft, 'ratePerSecond'>;
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Pick<CampaignDraft, 'ratePerSecond'>) => void;
}

/** How fast a campaign goes at most. */
export function ThrottleInput({ draft, problemOf, onChange }: Given): ReactNode {
  return (
    <NumberInput
      label="Throttle"
      description="Emails per second"
      placeholder="No limit"
      clampBehavior="none"
      value={draft.ratePerSecond ?? ''}
      error={rateProblem(draft) ?? problemOf('ratePerSecond')}
      onChange={(rate) => onChange({ ratePerSecond: typeof rate === 'number' ? rate : null })}
    />
  );
}
