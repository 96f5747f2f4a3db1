import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { choicesOf } from '../../../frame/choices.ts';
import { byNameOrKey, namedChoice } from '../../../frame/named-choice.ts';
import { templatesQuery } from '../../templates/template-queries.ts';
import type { EmailDraft } from '../condition-draft.ts';
import type { RuleGiven } from './rule-given.ts';
import { Within } from './within.tsx';

type Activity = EmailDraft['event'];

const EVENTS: Readonly<Record<Activity | `not_${Activity}`, string>> = {
  sent: 'was sent',
  delivered: 'was delivered',
  opened: 'was opened',
  clicked: 'was clicked',
  bounced: 'bounced',
  not_sent: 'was not sent',
  not_delivered: 'was not delivered',
  not_opened: 'was not opened',
  not_clicked: 'was not clicked',
  not_bounced: 'did not bounce',
};
const NOT = 'not_';

/** What a mail to a contact led to. */
export function EmailRule({ rule, onChange }: RuleGiven<EmailDraft>): ReactNode {
  const { data: templates = [] } = useQuery(templatesQuery());
  const choices = templates.map(namedChoice);
  const isUnknown = rule.template && !templates.some(({ key }) => key === rule.template);
  return (
    <Group gap={6} flex={1}>
      <Select
        aria-label="Template"
        size="xs"
        flex={1}
        miw={150}
        placeholder="Any email"
        clearable
        searchable
        filter={byNameOrKey}
        data={rule.template && isUnknown ? [...choices, { value: rule.template, label: rule.template }] : choices}
        value={rule.template}
        onChange={(template) => onChange({ ...rule, template })}
      />
      <Select
        aria-label="Email activity"
        size="xs"
        w={158}
        allowDeselect={false}
        data={choicesOf(EVENTS)}
        value={`${rule.isNot ? NOT : ''}${rule.event}`}
        onChange={(chosen) => {
          if (chosen) onChange({ ...rule, isNot: chosen.startsWith(NOT), event: chosen.replace(NOT, '') as Activity });
        }}
      />
      <Within hours={rule.withinHours} onChange={(withinHours) => onChange({ ...rule, withinHours })} />
      {rule.isNot && rule.event !== 'sent' ? (
        <Text size="xs" c="dimmed" w="100%">
          Also holds for contacts who were not sent it; a rule “was sent” leaves them out.
        </Text>
      ) : null}
    </Group>
  );
}
