import type { ReactNode } from 'react';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { conditionWords } from '../segments/filter-words.ts';
import { durationWords } from './graph/node-words.ts';
import type { SequenceFlow, SequenceGraph } from './sequence-queries.ts';

const REENTRY: Readonly<Record<SequenceGraph['reentry'], string>> = {
  once_ever: 'once ever',
  once_active: 'again when the run has ended',
  always: 'always, also several at once',
};

/** Who enters a sequence, how often, and what ends it early. */
export function SettingsPanel({ graph, flow }: { readonly graph: SequenceGraph; readonly flow?: SequenceFlow | undefined }): ReactNode {
  const { triggers, reentry, cooldownHours, goal, frequencyCap } = graph;
  return (
    <Panel title="Sequence">
      <Facts>
        <Fact name="Entered by">
          {triggers.length > 0
            ? triggers
                .map(
                  ({ config, enabled }) =>
                    `${config.type}${config.match ? `, if ${conditionWords(config.match)}` : ''}${enabled ? '' : ' (off)'}`,
                )
                .join('; ')
            : 'call only'}
        </Fact>
        <Fact name="Again">
          {REENTRY[reentry]}
          {cooldownHours ? `, ${durationWords(cooldownHours * 60)} apart` : ''}
        </Fact>
        <Fact name="Frequency cap">
          {frequencyCap ? `${frequencyCap.count} marketing mails in ${durationWords(frequencyCap.windowHours * 60)}` : null}
        </Fact>
        <Fact name="Goal">{goal ? goalWords(goal) : null}</Fact>
        {flow ? <Fact name="Counted">{countedWords(flow.runs)}</Fact> : null}
      </Facts>
    </Panel>
  );
}

function goalWords({ event, condition }: NonNullable<SequenceGraph['goal']>): string {
  const ofEvent = event && `event ${event.type}${event.match ? ` if ${conditionWords(event.match)}` : ''}`;
  return [ofEvent, condition && conditionWords(condition)].filter(Boolean).join(', or ');
}

function countedWords(runs: number): string {
  if (runs === 0) return 'no run yet of this version';
  return runs === 1 ? 'the last run, over this version' : `the last ${runs.toLocaleString('en')} runs, over this version`;
}
