import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { choiceWords } from '../../show/send-window-words.ts';
import { LeftOutRuns, leftOutRuns } from './left-out-runs.tsx';
import type { SequenceFlow, SequenceGraph } from './sequence-queries.ts';
import { againWords, capWords, enteredWords, goalWords } from './settings-words.ts';

interface Given {
  readonly graph: SequenceGraph;
  readonly flow?: SequenceFlow | undefined;
  /** Whose runs alone the flow has; undefined: all. */
  readonly ofVersion?: number | undefined;
  /** Further facts. */
  readonly children?: ReactNode;
}

/** Who enters a sequence, how often, and what ends it early. */
export function SettingsPanel({ graph, flow, ofVersion, children }: Given): ReactNode {
  const failed = flow?.nodes.reduce((sum, node) => sum + node.failed, 0) ?? 0;
  return (
    <Panel title="Sequence">
      <Facts>
        <Fact name="Entered by">{enteredWords(graph)}</Fact>
        <Fact name="Re-entry">{againWords(graph)}</Fact>
        <Fact name="Frequency cap">{capWords(graph) ?? null}</Fact>
        <Fact name="Send window">{choiceWords(graph.sendWindow) ?? null}</Fact>
        <Fact name="Goal">{goalWords(graph) ?? null}</Fact>
        {flow ? <Fact name="Numbers cover">{countedWords(flow.runs, ofVersion)}</Fact> : null}
        {failed > 0 ? (
          <Fact name="Failed steps">
            <Anchor component={Link} href={`/${graph.key}/runs?failedSteps=some`} inherit>
              {failed === 1 ? '1, view run' : `${failed.toLocaleString('en')}, view runs`}
            </Anchor>
          </Fact>
        ) : null}
        {flow && leftOutRuns(flow.leftOut) > 0 ? (
          <Fact name="Left out">
            <LeftOutRuns sequence={graph.key} counts={flow.leftOut} version={ofVersion} />
          </Fact>
        ) : null}
        {flow && flow.standingElsewhere > 0 ? (
          <Fact name="At other steps">
            <Anchor component={Link} href={`/${graph.key}/runs?status=active`} inherit>
              {elsewhereWords(flow.standingElsewhere)}
            </Anchor>
          </Fact>
        ) : null}
        {children}
      </Facts>
    </Panel>
  );
}

/** Runs go on in the version that they began with. */
function elsewhereWords(runs: number): string {
  return `${runs.toLocaleString('en')} at steps of earlier versions`;
}

function countedWords(runs: number, version: number | undefined): string {
  if (version !== undefined) {
    if (runs === 0) return `no runs of version ${version}`;
    return runs === 1 ? `the only run of version ${version}` : `the last ${runs.toLocaleString('en')} runs of version ${version}`;
  }
  if (runs === 0) return 'no runs yet';
  return runs === 1 ? 'the last run, of any version' : `the last ${runs.toLocaleString('en')} runs, of all versions`;
}
