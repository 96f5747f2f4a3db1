import { Text } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { SavedMeanwhile } from '../../../show/saved-meanwhile.tsx';
import { GraphCanvas } from '../graph/graph-canvas.tsx';
import type { SequenceGraph } from '../sequence-queries.ts';
import classes from '../sequences.module.css';
import { changeMarks, changesBetween, changesInWords, type GraphChanges } from './graph-changes.ts';

interface Given {
  /** What is edited began with it. */
  readonly base: SequenceGraph;
  readonly theirs: SequenceGraph;
  /** undefined: nothing is changed here, so nothing can be lost. */
  readonly onReplace: (() => void) | undefined;
  /** Goes on with what they saved. */
  readonly onTake: () => void;
}

/** Someone else saved this template: tells what they changed, shows theirs, and asks which is to stay. */
export function ChangedMeanwhile({ base, theirs, onReplace, onTake }: Given): ReactNode {
  const changes = useMemo(() => changesBetween(base, theirs), [base, theirs]);
  const mine = onReplace
    ? `Your changes are based on version ${base.version}. They are still here and not saved yet.`
    : `You are looking at version ${base.version}.`;
  return (
    <SavedMeanwhile
      title={`Someone else saved version ${theirs.version}`}
      says={`${mine} ${inWords(changes)}`}
      theirs={{ title: `Version ${theirs.version} of ${theirs.name}`, size: 'xl', content: <Theirs theirs={theirs} changes={changes} /> }}
      onTake={onTake}
      onReplace={onReplace}
    />
  );
}

function Theirs({ theirs, changes }: { readonly theirs: SequenceGraph; readonly changes: GraphChanges }): ReactNode {
  const [selected, setSelected] = useState<string>();
  const marks = useMemo(() => changeMarks(changes), [changes]);
  return (
    <>
      <Text size="sm" mb="sm">
        {inWords(changes)}
      </Text>
      <div className={classes.theirs}>
        <GraphCanvas graph={theirs} marks={marks} selected={selected} onSelect={setSelected} label={`Graph of version ${theirs.version}`} />
      </div>
    </>
  );
}

function inWords(changes: GraphChanges): string {
  const words = changesInWords(changes);
  return words ? `They ${words}.` : 'They saved the same content.';
}
