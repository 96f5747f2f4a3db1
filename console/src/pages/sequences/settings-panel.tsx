import type { ReactNode } from 'react';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { Json } from '../../show/json.tsx';
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
                .map(({ config, enabled }) => `${config.type}${config.match ? ', if it matches' : ''}${enabled ? '' : ' (off)'}`)
                .join('; ')
            : 'call only'}
        </Fact>
        <Fact name="Again">
          {REENTRY[reentry]}
          {cooldownHours ? `, ${cooldownHours} h apart` : ''}
        </Fact>
        <Fact name="Frequency cap">{frequencyCap ? `${frequencyCap.count} marketing mails in ${frequencyCap.windowHours} h` : null}</Fact>
        <Fact name="Goal">{goal ? <Json value={goal} label="Goal" /> : null}</Fact>
        {flow ? <Fact name="Counted">the last {flow.runs.toLocaleString('en')} runs, over this version</Fact> : null}
      </Facts>
    </Panel>
  );
}
