import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { choicesOf } from '../../../frame/choices.ts';
import { namedChoice } from '../../../frame/named-choice.ts';
import { templatesQuery } from '../../templates/template-queries.ts';
import type { EmailDraft } from '../condition-draft.ts';
import type { RuleGiven } from './rule-given.ts';
import { Within } from './within.tsx';

const EVENTS: Readonly<Record<EmailDraft['event'], string>> = {
  sent: 'was sent',
  delivered: 'was delivered',
  opened: 'was opened',
  clicked: 'was clicked',
  bounced: 'was bounced',
};

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
        value={rule.event}
        onChange={(event) => onChange({ ...rule, event: (event as EmailDraft['event'] | null) ?? rule.event })}
      />
      <Within hours={rule.withinHours} onChange={(withinHours) => onChange({ ...rule, withinHours })} />
    </Group>
  );
}
