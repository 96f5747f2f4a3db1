import type { ReactNode } from 'react';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import type { SequenceFlow, SequenceGraph } from './sequence-queries.ts';
import { againWords, capWords, enteredWords, goalWords } from './settings-words.ts';

/** Who enters a sequence, how often, and what ends it early. */
export function SettingsPanel({ graph, flow }: { readonly graph: SequenceGraph; readonly flow?: SequenceFlow | undefined }): ReactNode {
  return (
    <Panel title="Sequence">
      <Facts>
        <Fact name="Entered by">{enteredWords(graph)}</Fact>
        <Fact name="Again">{againWords(graph)}</Fact>
        <Fact name="Frequency cap">{capWords(graph) ?? null}</Fact>
        <Fact name="Goal">{goalWords(graph) ?? null}</Fact>
        {flow ? <Fact name="Counted">{countedWords(flow.runs)}</Fact> : null}
      </Facts>
    </Panel>
  );
}

function countedWords(runs: number): string {
  if (runs === 0) return 'no run yet of this version';
  return runs === 1 ? 'the last run, over this version' : `the last ${runs.toLocaleString('en')} runs, over this version`;
}
