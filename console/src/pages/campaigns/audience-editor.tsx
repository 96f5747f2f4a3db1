import { SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { segmentsQuery } from '../segments/segment-queries.ts';
import { AudienceCount, type AudienceSize } from './audience-count.tsx';
import { addressesOf, type CampaignDraft, MOST_PEOPLE, type ProblemOf } from './campaign-draft.ts';

const MODES: readonly { readonly value: CampaignDraft['mode']; readonly label: string }[] = [
  { value: 'entire', label: 'All contacts' },
  { value: 'segment', label: 'Segment' },
  { value: 'tag', label: 'Tag' },
  { value: 'people', label: 'People' },
];

interface Given {
  readonly draft: CampaignDraft;
  /** What the API found wrong. */
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<CampaignDraft>) => void;
}

/** Who gets it, and how many that is. What was said in another mode stays. */
export function AudienceEditor({ draft, size, problemOf, onChange }: Given & { readonly size: AudienceSize }): ReactNode {
  return (
    <Panel title="Audience">
      <Stack gap="sm">
        <SegmentedControl
          size="xs"
          w="fit-content"
          maw="100%"
          aria-label="Audience"
          data={[...MODES]}
          value={draft.mode}
          onChange={(mode) => onChange({ mode: mode as CampaignDraft['mode'] })}
        />
        {draft.mode === 'entire' ? (
          <Text size="sm" c="dimmed">
            Everybody in the project, of all brands.
          </Text>
        ) : null}
        {draft.mode === 'segment' ? <SegmentChoice draft={draft} problemOf={problemOf} onChange={onChange} /> : null}
        {draft.mode === 'tag' ? (
          <TextInput
            label="Tag"
            placeholder="newsletter"
            value={draft.tag}
            error={problemOf('audience')}
            onChange={(event) => onChange({ tag: event.currentTarget.value })}
          />
        ) : null}
        {draft.mode === 'people' ? (
          <Textarea
            label="Addresses"
            placeholder={'ada@example.com\ngrace@example.com'}
            description={`${addressesOf(draft.people).length.toLocaleString('en')} of at most ${MOST_PEOPLE.toLocaleString('en')}. Unknown ones become contacts.`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            value={draft.people}
            error={peopleProblem(draft.people, problemOf)}
            onChange={(event) => onChange({ people: event.currentTarget.value })}
          />
        ) : null}
        <AudienceCount size={size} />
      </Stack>
    </Panel>
  );
}

function peopleProblem(people: string, problemOf: ProblemOf): string | undefined {
  const addresses = addressesOf(people);
  if (addresses.length > MOST_PEOPLE) return 'These are too many: make a segment or a tag of them';
  const wrong = addresses.find((_, at) => problemOf(`audience.emails[${at}]`));
  return wrong === undefined ? problemOf('audience') : `${wrong}: ${problemOf('audience')}`;
}

function SegmentChoice({ draft, problemOf, onChange }: Given): ReactNode {
  const { data, error, refetch } = useQuery(segmentsQuery());
  if (error && !data) return <FailureNotice error={error} onRetry={refetch} />;
  return (
    <Select
      label="Segment"
      placeholder={data?.length === 0 ? 'There are no segments yet' : 'Choose a segment'}
      searchable
      nothingFoundMessage="No segment is called so"
      data={data?.map(({ id, label }) => ({ value: id, label }))}
      value={draft.segment}
      error={problemOf('audience')}
      onChange={(segment) => onChange({ segment })}
    />
  );
}
