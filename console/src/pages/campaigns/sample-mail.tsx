import { Box, Text, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { PreviewFrame } from '../../show/preview-frame.tsx';
import { SubjectChoice } from '../templates/subject-choice.tsx';
import { type Preview, templatePreviewQuery } from '../templates/template-queries.ts';
import { mailSubjects } from './campaign-draft.ts';
import { type Campaign, campaignMadeQuery, isCode, renderedWords } from './campaign-queries.ts';
import classes from './campaigns.module.css';

/** How the mail looks, made by its template as it is now; nothing where it cannot be made any more. */
export function SampleMail({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const subjects = mailSubjects({ subject: campaign.subject, variants: campaign.variants ?? [] });
  const [chosen, setChosen] = useState(0);
  const subject = subjects[chosen]?.subject ?? '';
  const mail = useSampleMail(campaign, subject);
  const scheme = useComputedColorScheme('light');
  if (!mail) return null;
  return (
    <Panel title="Email">
      <Box mb={subjects.length > 1 ? 'sm' : 0}>
        <SubjectChoice subjects={subjects} chosen={chosen} onChoose={setChosen} size="xs" />
      </Box>
      <Text size="sm" fw={500} mb="xs" style={{ overflowWrap: 'anywhere' }}>
        {mail.subject}
      </Text>
      <Box className={classes.sample} role="region" aria-label="The email" tabIndex={0}>
        <PreviewFrame html={mail.html} width={PHONE} scheme={scheme} title="The email for a sample contact" />
      </Box>
      <Text size="xs" c="dimmed" mt="xs">
        The template as it is now, for a sample contact.
      </Text>
    </Panel>
  );
}

/** undefined while it is made, and where it cannot be. */
function useSampleMail({ id, template, brand_id: brand }: Campaign, subject: string, isAsked = true): Preview | undefined {
  const { data: made } = useQuery(campaignMadeQuery(id));
  const { data } = useQuery({
    ...templatePreviewQuery(template, { data: made?.data ?? {}, brand, subject, version: 'published' }),
    enabled: isAsked && made !== undefined && template !== '',
    retry: false,
  });
  return data;
}

/** A subject of a campaign as people get it, rather than the code that it is made by; where that cannot be known, by the template's key. */
export function SubjectWords({ campaign, subject }: { readonly campaign: Campaign; readonly subject: string }): ReactNode {
  const mail = useSampleMail(campaign, subject, isCode(subject));
  if (!isCode(subject)) return subject;
  return mail ? renderedWords(mail.subject, subject) : campaign.template;
}

/** The screen that it is shown on, in pixels. */
const PHONE = 375;
