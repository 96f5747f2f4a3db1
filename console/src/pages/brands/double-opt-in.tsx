import { Alert, Anchor, Divider, NumberInput, Select, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { MOST_PRUNE_DAYS, MOST_REMINDER_HOURS } from '../../api/limits.ts';
import { consolePath } from '../../base.ts';
import { byNameOrKey, namedChoice } from '../../frame/named-choice.ts';
import { useSession } from '../../session/session.tsx';
import { type Template, templateHref, templatesQuery } from '../templates/template-queries.ts';
import { type BrandDraft, BUILT_IN } from './brand-draft.ts';

interface Given {
  /** undefined: the brand is being made, and has no templates yet. */
  readonly slug: string | undefined;
  readonly draft: BrandDraft;
  readonly set: (part: Partial<BrandDraft>) => void;
  readonly errorOf: (name: string) => string | undefined;
}

/** Whether who signs up is asked to confirm, and how. */
export function DoubleOptIn({ slug, draft, set, errorOf }: Given): ReactNode {
  const { may } = useSession();
  const { data: templates = [] } = useQuery({ ...templatesQuery(slug), enabled: slug !== undefined && may('GET /templates') });
  const chosen = templates.find(({ key }) => key === draft.template);
  if (slug === undefined) {
    return (
      <Part>
        <Text size="sm" c="dimmed">
          New contacts can be asked to confirm once the brand is added and its confirmation template is on.
        </Text>
      </Part>
    );
  }
  return (
    <Part>
      <Switch
        size="sm"
        label="Ask new contacts to confirm"
        description="Contacts added without a status get an email to confirm, and no marketing until they do"
        checked={draft.isAsking}
        onChange={(event) => set({ isAsking: event.currentTarget.checked })}
      />
      {/* Who is added as pending is asked without the switch, too. */}
      {draft.isAsking || chosen?.enabled ? (
        <>
          <TemplateSelect slug={slug} draft={draft} set={set} templates={templates} error={errorOf('confirmTemplate')} />
          <Reminders draft={draft} set={set} error={errorOf('confirmReminders')} />
          <NumberInput
            label="Delete contacts who have not confirmed after"
            description="Only those who have done nothing else. Leave empty to keep them all"
            suffix={Number(draft.pruneDays) === 1 ? ' day' : ' days'}
            placeholder="Never"
            allowDecimal={false}
            min={1}
            max={MOST_PRUNE_DAYS}
            value={draft.pruneDays}
            error={errorOf('confirmPruneDays')}
            onChange={(pruneDays) => set({ pruneDays })}
          />
        </>
      ) : null}
    </Part>
  );
}

function Part({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Stack gap="md" role="group" aria-label="Double opt-in">
      <Divider />
      <Title order={3} fz="sm">
        Double opt-in
      </Title>
      {children}
      <Divider />
    </Stack>
  );
}

interface TemplateGiven extends Pick<Given, 'draft' | 'set'> {
  readonly slug: string;
  readonly templates: readonly Template[];
  readonly error: string | undefined;
}

/** One of the transactional ones, or the one that is set where the key may read none. */
function TemplateSelect({ slug, draft: { template: key }, set, templates, error }: TemplateGiven): ReactNode {
  const own = templates.filter((one) => one.type === 'transactional' && one.key !== BUILT_IN).map(namedChoice);
  const known = [{ value: BUILT_IN, label: 'Confirm subscription (built in)' }, ...own];
  const isOff = templates.some((one) => one.key === key && !one.enabled);
  return (
    <Select
      label="Confirmation email"
      description={isOff ? <Off slug={slug} template={key} /> : 'A transactional template whose button leads to confirmUrl'}
      searchable
      allowDeselect={false}
      filter={byNameOrKey}
      nothingFoundMessage="No matching templates"
      data={known.some(({ value }) => value === key) ? known : [...known, { value: key, label: key }]}
      value={key}
      error={error}
      onChange={(template) => template !== null && set({ template })}
    />
  );
}

/** The way to the page on which it is turned on, beside this one: what is typed here stays. */
function Off({ slug, template }: { readonly slug: string; readonly template: string }): ReactNode {
  return (
    <>
      This template is off for the brand.{' '}
      <Anchor
        href={`${consolePath}/templates${templateHref(template, slug)}`}
        target="_blank"
        rel="noreferrer"
        inherit
        c="inherit"
        underline="always"
      >
        Turn it on
      </Anchor>{' '}
      first
    </>
  );
}

/** In the place of the API's own words. */
export function TemplateOff({ slug, template }: { readonly slug: string; readonly template: string }): ReactNode {
  return (
    <Alert role="alert" color="red" title="The confirmation email is off">
      <Text size="sm">
        <Off slug={slug} template={template} />, then save again. Nothing you typed is lost.
      </Text>
    </Alert>
  );
}

function Reminders({ draft, set, error }: Pick<Given, 'draft' | 'set'> & { readonly error: string | undefined }): ReactNode {
  const shared = { placeholder: 'None', allowDecimal: false, min: 1, max: MOST_REMINDER_HOURS } as const;
  const suffixOf = (hours: number | string): string => (Number(hours) === 1 ? ' hour' : ' hours');
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <NumberInput
        {...shared}
        label="First reminder after"
        suffix={suffixOf(draft.firstReminder)}
        value={draft.firstReminder}
        onChange={(firstReminder) => set({ firstReminder })}
      />
      <NumberInput
        {...shared}
        label="Second reminder after"
        suffix={suffixOf(draft.secondReminder)}
        value={draft.secondReminder}
        error={error}
        onChange={(secondReminder) => set({ secondReminder })}
      />
    </SimpleGrid>
  );
}
