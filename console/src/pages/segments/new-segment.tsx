import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Detail } from '../../frame/detail.tsx';
import { useForm } from '../../frame/form.tsx';
import { Page } from '../../frame/page.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { attributeRule, emptyGroup } from './condition-draft.ts';
import { useCreateSegment } from './create-segment.ts';
import { ruleFaults } from './rule-faults.ts';
import { draftOfSegment, type SegmentDraft, segmentFaults } from './segment-draft.ts';
import { SegmentEditor } from './segment-editor.tsx';
import { SegmentPreview } from './segment-preview.tsx';

const FORM = 'new-segment';

/** Makes a segment. */
export function NewSegment(): ReactNode {
  const [search] = useSearchParams();
  const [first] = useState(() => beginning(search));
  const [draft, setDraft] = useState(first);
  const create = useCreateSegment();
  const faults = ruleFaults(create.error, create.variables?.where);
  const { props, errorOf } = useForm({
    faults: segmentFaults(draft),
    error: create.error,
    isPending: create.isPending,
    isUnsaved: draft !== first && !create.isSuccess,
    onSubmit: () => create.mutate(draft),
  });
  return (
    <Page
      title="New segment"
      isLong
      back={{ to: '/', label: 'Segments' }}
      actions={
        <Button type="submit" form={FORM} loading={create.isPending}>
          Create segment
        </Button>
      }
    >
      {create.error && !faults ? <FailureNotice error={create.error} /> : null}
      <Detail
        main={
          <form id={FORM} {...props}>
            <SegmentEditor draft={draft} onChange={setDraft} isNew error={create.error} faults={faults} errorOf={errorOf} />
          </form>
        }
        aside={<SegmentPreview draft={draft} />}
      />
    </Page>
  );
}

/** A link may ask for those with an attribute: `?attribute=plan&value="pro"`. */
function beginning(search: URLSearchParams): SegmentDraft {
  const attribute = search.get('attribute');
  const draft = draftOfSegment();
  return attribute === null ? draft : { ...draft, where: emptyGroup([attributeRule(attribute, search.get('value'))]) };
}
