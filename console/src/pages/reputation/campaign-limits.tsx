import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { FormDialog } from '../../frame/form.tsx';
import { useSession } from '../../session/session.tsx';
import { rateWords } from '../../show/percent.ts';
import { LimitsForm } from './limits-form.tsx';

const TITLE = 'Campaign limits';

/** Beyond which shares campaigns pause by themselves, and the way to change that. */
export function CampaignLimits(): ReactNode {
  const { project, may } = useSession();
  const [isAsked, setIsAsked] = useState(false);
  const { bounce_rate, complaint_rate } = project.campaign_limits;
  const limits = [
    ...(bounce_rate === null ? [] : [`${rateWords(bounce_rate)} bounces`]),
    ...(complaint_rate === null ? [] : [`${rateWords(complaint_rate)} complaints`]),
  ];
  return (
    <Panel
      title={TITLE}
      action={
        may('PATCH /project') ? (
          <Button size="xs" variant="default" onClick={() => setIsAsked(true)}>
            {limits.length > 0 ? 'Change limits' : 'Set limits'}
          </Button>
        ) : undefined
      }
    >
      <Text size="sm">
        {limits.length > 0
          ? `A campaign pauses by itself beyond ${limits.join(' or ')}.`
          : 'Campaigns go on, however many of their emails bounce or are reported as spam.'}
      </Text>
      <FormDialog opened={isAsked} onClose={() => setIsAsked(false)} title={TITLE}>
        <LimitsForm limits={project.campaign_limits} onClose={() => setIsAsked(false)} />
      </FormDialog>
    </Panel>
  );
}
