import { Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useFilters } from '../../frame/filters.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { conversionOf } from './conversion.ts';
import { GraphCanvas } from './graph/graph-canvas.tsx';
import { edgeId } from './graph/layout.ts';
import { type Marks, NO_MARKS } from './graph/marks.ts';
import { useLackingData, withLacking } from './lacking-data.ts';
import { leftOutRuns } from './left-out-runs.tsx';
import { NodePanel } from './node-panel.tsx';
import { OffTemplates, useWithOffSteps } from './off-templates.tsx';
import { problemsOf, withProblems } from './problems.ts';
import { ProblemsPanel } from './problems-panel.tsx';
import { SequenceFrame } from './sequence-frame.tsx';
import {
  entersByDate,
  flowQuery,
  type SequenceFlow,
  type SequenceGraph,
  versionQuery,
  versionsQuery,
  warningsQuery,
} from './sequence-queries.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { StepsPanel } from './steps-panel.tsx';
import { UpcomingEntries } from './upcoming-entries.tsx';
import { StepPanel, Workbench } from './workbench.tsx';

/** One sequence: its graph, with how many stand where, which way they passed and what became of its mails, of all versions or of one. */
export function FlowPage({ sequence }: { readonly sequence: string }): ReactNode {
  return (
    <SequenceFrame sequence={sequence} tab="flow">
      {(graph) => <FlowOfVersion current={graph} />}
    </SequenceFrame>
  );
}

function FlowOfVersion({ current }: { readonly current: SequenceGraph }): ReactNode {
  const address = useFilters(['version']);
  const version = Number(address.get('version')) || undefined;
  const isEarlier = version !== undefined && version !== current.version;
  const { data, error, refetch } = useQuery({ ...versionQuery(current.key, version ?? 0), enabled: isEarlier });
  const graph = isEarlier ? data : current;
  return (
    <>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {graph ? (
        <Flow
          graph={graph}
          version={version}
          bar={
            current.version > 1 ? (
              <VersionChoice
                sequence={current.key}
                version={version}
                onChoose={(one) => address.set('version', one === undefined ? '' : String(one))}
              />
            ) : undefined
          }
        />
      ) : null}
    </>
  );
}

interface FlowGiven {
  readonly graph: SequenceGraph;
  /** Whose runs alone are counted; undefined: all. */
  readonly version: number | undefined;
  readonly bar: ReactNode;
}

function Flow({ graph, version, bar }: FlowGiven): ReactNode {
  const { data: flow, error, refetch } = useQuery(flowQuery(graph.key, version));
  const [selected, setSelected] = useState<string>();
  const { data: warnings } = useQuery(warningsQuery(graph.key));
  const lacking = useLackingData(graph);
  const problems = useMemo(() => withLacking(problemsOf(warnings, 'warning', graph.nodes), lacking), [warnings, graph.nodes, lacking]);
  const marked = useWithOffSteps(problems, graph);
  const marks = useMemo(() => withProblems(flow ? flowMarks(flow) : NO_MARKS, marked), [flow, marked]);
  const node = graph.nodes.find(({ id }) => id === selected);
  return (
    <>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      <Workbench
        bar={bar}
        canvas={<GraphCanvas graph={graph} marks={marks} selected={selected} onSelect={setSelected} label={`Graph of ${graph.name}`} />}
        aside={
          <>
            {graph.status === 'active' ? <OffTemplates graph={graph} /> : null}
            <ProblemsPanel problems={problems} onSelect={setSelected} />
            {node ? (
              <StepPanel>
                <NodePanel graph={graph} node={node} flow={flow} ofVersion={version} onSelect={setSelected} />
              </StepPanel>
            ) : (
              <SettingsPanel graph={graph} flow={flow} ofVersion={version}>
                {graph.status === 'active' && graph.triggers.some(entersByDate) ? <UpcomingEntries sequence={graph.key} /> : null}
              </SettingsPanel>
            )}
            <StepsPanel graph={graph} flow={flow} selected={selected} onSelect={setSelected} />
          </>
        }
      />
    </>
  );
}

interface ChoiceGiven {
  readonly sequence: string;
  readonly version: number | undefined;
  readonly onChoose: (version: number | undefined) => void;
}

const ALL = 'all';

/** Whose runs are counted. Of very many versions it offers the latest; the address takes any. */
function VersionChoice({ sequence, version, onChoose }: ChoiceGiven): ReactNode {
  const { data } = useInfiniteQuery(versionsQuery(sequence));
  const versions = data?.pages.flat() ?? [];
  const isOffered = version === undefined || versions.some((one) => one.version === version);
  const choices = [
    { value: ALL, label: 'All versions' },
    ...(isOffered ? [] : [{ value: String(version), label: `Version ${version}` }]),
    ...versions.map(({ version: one, active }) => ({
      value: String(one),
      label: active > 0 ? `Version ${one}, ${active.toLocaleString('en')} active` : `Version ${one}`,
    })),
  ];
  return (
    <Select
      size="xs"
      aria-label="Version"
      w={220}
      allowDeselect={false}
      data={choices}
      value={version === undefined ? ALL : String(version)}
      onChange={(value) => onChoose(value === null || value === ALL ? undefined : Number(value))}
    />
  );
}

function flowMarks({ nodes, edges, reachedBy }: SequenceFlow): Marks {
  return {
    nodes: new Map(
      nodes.map(({ id, standing, failed, mails, leftOut }) => {
        const without = leftOutRuns(leftOut);
        return [id, { standing, failed, mails: mails && (mails.sent > 0 || without > 0) ? mails : undefined, leftOut: without }];
      }),
    ),
    edges: new Map(edges.map((edge) => [edgeId(edge), { passed: edge.passed, conversion: conversionOf(edge.arm, reachedBy) }])),
  };
}
