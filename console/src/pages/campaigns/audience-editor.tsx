import { SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { segmentsQuery } from '../segments/segment-queries.ts';
import { addressesOf, type CampaignDraft } from './campaign-draft.ts';

const MODES: readonly { readonly value: CampaignDraft['mode']; readonly label: string }[] = [
  { value: 'entire', label: 'All contacts' },
  { value: 'segment', label: 'Segment' },
  { value: 'tag', label: 'Tag' },
  { value: 'people', label: 'People' },
];

interface Given {
  readonly draft: CampaignDraft;
  readonly onChange: (change: Partial<CampaignDraft>) => void;
}

/** Who gets it. What was said in another mode stays. */
export function AudienceEditor({ draft, onChange }: Given): ReactNode {
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
        {draft.mode === 'segment' ? <SegmentChoice draft={draft} onChange={onChange} /> : null}
        {draft.mode === 'tag' ? (
          <TextInput
            label="Tag"
            placeholder="newsletter"
            value={draft.tag}
            onChange={(event) => onChange({ tag: event.currentTarget.value })}
          />
        ) : null}
        {draft.mode === 'people' ? (
          <Textarea
            label="Addresses"
            placeholder={'ada@example.com\ngrace@example.com'}
            description={`${addressesOf(draft.people).length.toLocaleString('en')} of at most 10,000. Unknown ones become contacts.`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            value={draft.people}
            onChange={(event) => onChange({ people: event.currentTarget.value })}
          />
        ) : null}
      </Stack>
    </Panel>
  );
}

function SegmentChoice({ draft, onChange }: Given): ReactNode {
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
      onChange={(segment) => onChange({ segment })}
    />
  );
}
