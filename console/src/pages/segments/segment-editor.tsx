import { Fieldset, Group, MultiSelect, Select, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { asFailure } from '../../api/failure.ts';
import { LONGEST_SEGMENT_LABEL, MOST_TAGS } from '../../api/limits.ts';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { useUnusedWords, useVocabulary } from '../../frame/vocabulary.ts';
import { useSession } from '../../session/session.tsx';
import { CONTACT_STATUSES, type ContactStatus } from '../contacts/contact-status.ts';
import { GroupEditor } from './group-editor.tsx';
import type { RuleFaults } from './rule-faults.ts';
import { filterOf, type SegmentDraft } from './segment-draft.ts';
import { SourceInput } from './source-input.tsx';

interface Given {
  readonly draft: SegmentDraft;
  readonly onChange: (draft: SegmentDraft) => void;
  /** The brand can be chosen once. */
  readonly isNew: boolean;
  /** Why it could not be saved, if so. */
  readonly error: unknown;
  /** What of that is said at its rules. */
  readonly faults: RuleFaults | undefined;
  /** What to say at a field, by its name in the request. */
  readonly errorOf: (name: string) => string | undefined;
}

/** Everything that says who is in a segment. */
export function SegmentEditor({ draft, onChange, isNew, error, faults, errorOf }: Given): ReactNode {
  const isTaken = error ? asFailure(error).details.code === 'duplicate_label' : false;
  const { filter, isComplete } = filterOf(draft);
  const lacking = faults && isComplete ? undefined : errorOf('filter.where');
  const isEverybody = Object.keys(filter).length === 0;
  const set = (change: Partial<SegmentDraft>): void => onChange({ ...draft, ...change });
  return (
    <Fieldset variant="unstyled" m={0} aria-label="Segment">
      <Stack gap="md">
        <Panel title="Segment">
          <NameFields
            draft={draft}
            onChange={set}
            isNew={isNew}
            labelError={isTaken ? 'Another segment already has this name' : errorOf('label')}
          />
        </Panel>
        <Panel title="Who is in it">
          <Stack gap="md">
            <FilterFields draft={draft} onChange={set} errorOf={errorOf} />
            {isEverybody ? (
              <Text size="sm" c="dimmed" role="status">
                {draft.where.items.length > 0 ? 'The rules are not complete yet' : 'There are no rules yet'}, so everyone{' '}
                {draft.brand ? 'of the brand' : 'in the project'} is in it.
              </Text>
            ) : null}
            <GroupEditor group={draft.where} onChange={(where) => set({ where })} isAsked={lacking !== undefined} faults={faults} />
            {lacking ? (
              <Text size="xs" c="var(--mantine-color-error)" role="alert">
                {lacking}
              </Text>
            ) : null}
          </Stack>
        </Panel>
      </Stack>
    </Fieldset>
  );
}

interface PartGiven {
  readonly draft: SegmentDraft;
  readonly onChange: (change: Partial<SegmentDraft>) => void;
}

interface NameGiven extends PartGiven, Pick<Given, 'isNew'> {
  readonly labelError: string | undefined;
}

/** What it is called, and which brand it is of where there are several. */
function NameFields({ draft, onChange, isNew, labelError }: NameGiven): ReactNode {
  const { brands } = useSession();
  return (
    <Group gap="sm" align="flex-start">
      <TextInput
        label="Name"
        flex={2}
        miw={200}
        maxLength={LONGEST_SEGMENT_LABEL}
        required
        placeholder="Trial users on the pro plan"
        value={draft.label}
        error={labelError}
        onChange={(event) => onChange({ label: event.currentTarget.value })}
        autoFocus={isNew}
      />
      {brands.length > 1 || draft.brand ? (
        <Select
          label="Brand"
          flex={1}
          miw={140}
          placeholder="All brands"
          clearable={isNew}
          disabled={!isNew}
          data={brands.map(({ slug, name }) => ({ value: slug, label: name }))}
          value={draft.brand}
          onChange={(brand) => onChange({ brand })}
        />
      ) : null}
    </Group>
  );
}

/** Whom it takes by what every contact has. */
function FilterFields({ draft, onChange, errorOf }: PartGiven & Pick<Given, 'errorOf'>): ReactNode {
  const { tags: known } = useVocabulary();
  const unused = useUnusedWords(draft.tags);
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <MultiSelect
        label="Status"
        placeholder={draft.statuses.length > 0 ? '' : 'Any'}
        clearable
        data={choicesOf(CONTACT_STATUSES)}
        value={[...draft.statuses]}
        onChange={(statuses) => onChange({ statuses: statuses as ContactStatus[] })}
      />
      <TagsInput
        label="Tags (all of them)"
        description={unused}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={draft.tags.length > 0 ? '' : 'Any'}
        clearable
        maxTags={MOST_TAGS}
        data={[...known]}
        limit={40}
        value={[...draft.tags]}
        error={errorOf('filter.tags')}
        onChange={(tags) => onChange({ tags })}
      />
      <SourceInput
        label="Source"
        placeholder="Any"
        description="How the contact was added, not the source of its consent. Choose one, or enter your own, like crm"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        clearable
        source={draft.source}
        error={errorOf('filter.source')}
        onChange={(source) => onChange({ source })}
      />
    </SimpleGrid>
  );
}
