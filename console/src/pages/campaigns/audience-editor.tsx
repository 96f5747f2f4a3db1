import { Autocomplete, Group, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { MOST_PEOPLE } from '../../api/limits.ts';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { useUnusedWords, useVocabulary } from '../../frame/vocabulary.ts';
import { addressesIn } from '../../pasted-emails.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { segmentsQuery } from '../segments/segment-queries.ts';
import { AudienceCount, type AudienceSize } from './audience-count.tsx';
import { addressFault, type CampaignDraft, type ProblemOf, peopleFault, TOO_MANY_PEOPLE } from './campaign-draft.ts';

const MODES: Readonly<Record<CampaignDraft['mode'], string>> = {
  entire: 'All contacts',
  segment: 'Segment',
  tag: 'Tag',
  people: 'People',
};

interface Given {
  readonly draft: CampaignDraft;
  /** What the API found wrong. */
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<CampaignDraft>) => void;
}

interface AudienceGiven extends Given {
  readonly size: AudienceSize;
  /** It is for people whose addresses are not shown: what is said of them; undefined: it is not. */
  readonly peopleKept?: string | undefined;
}

/** Who gets it, and how many that is. What was said in another mode stays. */
export function AudienceEditor({ draft, size, peopleKept, problemOf, onChange }: AudienceGiven): ReactNode {
  return (
    <Panel title="Audience">
      <Stack gap="sm">
        <SegmentedControl
          size="xs"
          w="fit-content"
          maw="100%"
          aria-label="Audience"
          data={choicesOf(MODES)}
          value={draft.mode}
          onChange={(mode) => onChange({ mode: mode as CampaignDraft['mode'] })}
        />
        {draft.mode === 'entire' ? (
          <Text size="sm" c="dimmed">
            Everyone in the project, across all brands.
          </Text>
        ) : null}
        {draft.mode === 'segment' ? <SegmentChoice draft={draft} problemOf={problemOf} onChange={onChange} /> : null}
        {draft.mode === 'tag' ? <TagChoice draft={draft} problemOf={problemOf} onChange={onChange} /> : null}
        {draft.mode === 'people' && peopleKept && !draft.people ? (
          <Text size="sm" role="status">
            {peopleKept}
          </Text>
        ) : null}
        {draft.mode === 'people' ? (
          <Textarea
            label="Emails"
            required
            placeholder={'ada@example.com\ngrace@example.com'}
            description={`At most ${MOST_PEOPLE.toLocaleString('en')}. New addresses become subscribed contacts; send only to people who agreed.`}
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            value={draft.people}
            error={peopleProblem(draft.people, problemOf)}
            onChange={(event) => onChange({ people: event.currentTarget.value })}
          />
        ) : null}
        <AudienceCount size={size} mode={draft.mode} />
      </Stack>
    </Panel>
  );
}

function peopleProblem(people: string, problemOf: ProblemOf): string | undefined {
  const addresses = addressesIn(people);
  if (addresses.length > MOST_PEOPLE) return TOO_MANY_PEOPLE;
  const wrong = addresses.filter((_, at) => problemOf(`audience.emails[${at}]`));
  const problem = problemOf('audience');
  if (problem) return wrong.length > 0 ? addressFault(wrong, problem) : problem;
  // Nothing of the list is kept while one is wrong: what is being typed as well.
  return peopleFault(addresses);
}

/** One of the tags that contacts have, each with how many; another may be typed, which somebody may have by then. */
function TagChoice({ draft, problemOf, onChange }: Given): ReactNode {
  const { tagCounts } = useVocabulary();
  const unused = useUnusedWords([draft.tag.trim()]);
  return (
    <Autocomplete
      label="Tag"
      required
      placeholder="newsletter"
      description={unused}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={[...tagCounts.keys()]}
      renderOption={({ option }) => <Choice label={option.value} count={tagCounts.get(option.value)} />}
      limit={MOST_OFFERED}
      value={draft.tag}
      error={problemOf('audience')}
      onChange={(tag) => onChange({ tag })}
    />
  );
}

const MOST_OFFERED = 100;

/** `count`: of contacts; undefined where nobody has counted them. */
function Choice({ label, count }: { readonly label: string; readonly count: number | undefined }): ReactNode {
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" w="100%">
      <Text size="sm" inherit truncate>
        {label}
      </Text>
      <Text size="xs" c="dimmed" style={{ flex: 'none' }}>
        {count === undefined ? '' : `${count.toLocaleString('en')} ${count === 1 ? 'contact' : 'contacts'}`}
      </Text>
    </Group>
  );
}

function SegmentChoice({ draft, problemOf, onChange }: Given): ReactNode {
  const { data, error, refetch } = useQuery(segmentsQuery());
  if (error && !data) return <FailureNotice error={error} onRetry={refetch} />;
  return (
    <Select
      label="Segment"
      required
      placeholder={data?.length === 0 ? 'No segments yet' : 'Choose a segment'}
      searchable
      nothingFoundMessage="No matching segments"
      data={data?.map(({ id, label }) => ({ value: id, label }))}
      renderOption={({ option }) => <Choice label={option.label} count={data?.find(({ id }) => id === option.value)?.count} />}
      value={draft.segment}
      error={problemOf('audience')}
      onChange={(segment) => onChange({ segment })}
    />
  );
}
