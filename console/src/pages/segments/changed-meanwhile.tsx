import type { ReactNode } from 'react';
import { Fact, Facts } from '../../frame/detail.tsx';
import { SavedMeanwhile } from '../../show/saved-meanwhile.tsx';
import { filterWords } from './filter-words.ts';
import type { Segment } from './segment-queries.ts';

interface Given {
  /** What is edited began with it. */
  readonly base: Segment;
  readonly theirs: Segment;
  readonly onReplace: () => void;
  /** Goes on with what they saved. */
  readonly onTake: () => void;
}

/** Someone else saved this segment: tells what they changed, shows theirs, and asks which is to stay. */
export function ChangedMeanwhile({ base, theirs, onReplace, onTake }: Given): ReactNode {
  return (
    <SavedMeanwhile
      title="Someone else saved this segment"
      says={`${changesInWords(base, theirs)} Your changes are still here and not saved yet. Saving replaces only what you changed.`}
      theirs={{
        title: 'Their version',
        size: 560,
        content: (
          <Facts>
            <Fact name="Name">{theirs.label}</Fact>
            <Fact name="Who is in it">{filterWords(theirs.filter)}</Fact>
          </Facts>
        ),
      }}
      onTake={onTake}
      onReplace={onReplace}
    />
  );
}

function changesInWords(base: Segment, theirs: Segment): string {
  const changes = [
    base.label === theirs.label ? '' : `renamed it to ${theirs.label}`,
    JSON.stringify(base.filter) === JSON.stringify(theirs.filter) ? '' : 'changed who is in it',
  ].filter(Boolean);
  return changes.length > 0 ? `They ${changes.join(' and ')}.` : 'They saved the same content.';
}
