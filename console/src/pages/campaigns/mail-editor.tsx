import { Anchor, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { LONGEST_NAME, LONGEST_SUBJECT } from '../../api/limits.ts';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { byNameOrKey, namedChoice } from '../../frame/named-choice.ts';
import { uncapitalized } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { DataFields, fieldWords } from '../templates/data-fields.tsx';
import { VariablePicker } from '../templates/edit/variable-picker.tsx';
import { type Template, type TemplateField, templatesQuery } from '../templates/template-queries.ts';
import { TopicSelect } from '../topics/topic-select.tsx';
import type { CampaignDraft, ProblemOf } from './campaign-draft.ts';
import { TEMPLATE_OFF } from './launch-warnings.ts';

interface Given {
  readonly draft: CampaignDraft;
  /** Its first field has the cursor. */
  readonly isNew: boolean;
  readonly fields: readonly TemplateField[];
  /** What the template takes by itself, from each contact among them. */
  readonly systemVars: readonly string[];
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<CampaignDraft>) => void;
}

/** The mail: its template, its subject, and what the template takes. */
export function MailEditor({ draft, isNew, fields, systemVars, problemOf, onChange }: Given): ReactNode {
  const { brands } = useSession();
  const { data: templates, error, refetch } = useQuery(templatesQuery(draft.brand ?? undefined));
  const chosen = templates?.find(({ key }) => key === draft.template);
  return (
    <Panel title="Email">
      {/* For the subjects of variants, too. */}
      <VariablePicker fields={fields} />
      <Stack gap="sm">
        {error && !templates ? <FailureNotice error={error} onRetry={refetch} /> : null}
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TemplateSelect draft={draft} isNew={isNew} templates={templates} problemOf={problemOf} onChange={onChange} />
          <TextInput
            label="Name"
            maxLength={LONGEST_NAME}
            placeholder="Spring news"
            description="Only for you. Recipients do not see it"
            value={draft.name}
            error={problemOf('name')}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
          />
        </SimpleGrid>
        <TextInput
          data-content
          label="Subject"
          maxLength={LONGEST_SUBJECT}
          placeholder={chosen?.subject || "The template's subject"}
          description="Type {{ to insert a variable. Leave empty to use the template's subject"
          value={draft.subject}
          error={problemOf('subject')}
          onChange={(event) => onChange({ subject: event.currentTarget.value })}
        />
        {brands.length > 1 ? (
          <Select
            label="Brand"
            placeholder={brands.find(({ is_default }) => is_default)?.name}
            clearable
            data={brands.map(({ slug, name }) => ({ value: slug, label: name }))}
            value={draft.brand}
            error={problemOf('brand')}
            onChange={(brand) => onChange({ brand })}
          />
        ) : null}
        <TopicSelect value={draft.topic} error={problemOf('topic')} onChange={(topic) => onChange({ topic })} />
        <FromContacts systemVars={systemVars} />
        {fields.length > 0 ? (
          <Stack gap="sm" mt={4}>
            <div>
              <Text size="sm" fw={600} component="h3" m={0}>
                Content
              </Text>
              <Text size="xs" c="dimmed">
                Template fields that are the same for everyone. What you leave empty, the template leaves out or fills with words and links
                of its own
              </Text>
            </div>
            {problemOf('data') ? (
              <Text size="xs" c="var(--mantine-color-error)">
                {problemOf('data')}
              </Text>
            ) : null}
            <DataFields inWords fields={fields} draft={draft.data} errorOf={problemOf} onChange={(data) => onChange({ data })} />
          </Stack>
        ) : null}
      </Stack>
    </Panel>
  );
}

const OF_CONTACT = 'contact.';

/** What nobody is asked for, since each contact has its own. */
function FromContacts({ systemVars }: Pick<Given, 'systemVars'>): ReactNode {
  const own = systemVars
    .filter((name) => name.startsWith(OF_CONTACT))
    .map((name) => uncapitalized(fieldWords(name.slice(OF_CONTACT.length))));
  if (own.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      Filled in for each contact: {own.join(', ')}.
    </Text>
  );
}

interface TemplateGiven extends Omit<Given, 'fields' | 'systemVars'> {
  /** undefined while they are read. */
  readonly templates: readonly Template[] | undefined;
}

/** One of those that are on, or the one that was chosen while it was. */
function TemplateSelect({ draft, isNew, templates, problemOf, onChange }: TemplateGiven): ReactNode {
  const chosen = templates?.find(({ key }) => key === draft.template);
  const offered = templates?.filter(({ enabled, key }) => enabled || key === draft.template);
  const isNoneOn = templates?.every(({ enabled }) => !enabled) ?? false;
  return (
    <Select
      label="Template"
      required
      autoFocus={isNew}
      openOnFocus={false}
      placeholder={templates ? 'Choose a template' : 'Loading templates'}
      searchable
      filter={byNameOrKey}
      nothingFoundMessage={isNoneOn ? 'All templates are off' : 'No matching templates'}
      data={offered?.map(({ key, name, type }) => {
        const { value, label } = namedChoice({ key, name });
        return { value, label: `${label}${type === 'marketing' ? '' : ' (transactional)'}` };
      })}
      value={draft.template}
      onChange={(template) => onChange({ template })}
      error={problemOf('template') ?? (chosen && !chosen.enabled ? TEMPLATE_OFF : undefined)}
      description={isNoneOn ? <NoneOn brand={draft.brand} /> : offWords((templates?.length ?? 0) - (offered?.length ?? 0))}
    />
  );
}

/** What to do where there is nothing to choose. */
function NoneOn({ brand }: Pick<CampaignDraft, 'brand'>): ReactNode {
  return (
    <>
      All templates are off.{' '}
      <Anchor component={Link} href={inConsole(`/templates${brand ? `?brand=${brand}` : ''}`)} inherit underline="always">
        View all templates
      </Anchor>
    </>
  );
}

/** How many templates are there that cannot be chosen. */
function offWords(count: number): string | undefined {
  return count > 0 ? `${count} more ${count === 1 ? 'is' : 'are'} off` : undefined;
}
