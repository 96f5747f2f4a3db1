import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { GraphCanvas } from './graph/graph-canvas.tsx';
import { edgeId } from './graph/layout.ts';
import { type Marks, NO_MARKS } from './graph/marks.ts';
import { useLackingData, withLacking } from './lacking-data.ts';
import { NodePanel } from './node-panel.tsx';
import { OffTemplates } from './off-templates.tsx';
import { problemsOf, withProblems } from './problems.ts';
import { ProblemsPanel } from './problems-panel.tsx';
import { SequenceFrame } from './sequence-frame.tsx';
import { flowQuery, type SequenceFlow, type SequenceGraph, warningsQuery } from './sequence-queries.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { StepsPanel } from './steps-panel.tsx';
import { StepPanel, Workbench } from './workbench.tsx';

/** One sequence: its graph, with how many stand where and passed which way. */
export function FlowPage({ sequence }: { readonly sequence: string }): ReactNode {
  return (
    <SequenceFrame sequence={sequence} tab="flow">
      {(graph) => <Flow graph={graph} />}
    </SequenceFrame>
  );
}

function Flow({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const { data: flow, error, refetch } = useQuery(flowQuery(graph.key));
  const [selected, setSelected] = useState<string>();
  const { data: warnings } = useQuery(warningsQuery(graph.key));
  const lacking = useLackingData(graph);
  const problems = useMemo(() => withLacking(problemsOf(warnings, 'warning', graph.nodes), lacking), [warnings, graph.nodes, lacking]);
  const marks = useMemo(() => withProblems(flow ? flowMarks(flow) : NO_MARKS, problems), [flow, problems]);
  const node = graph.nodes.find(({ id }) => id === selected);
  return (
    <>
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      <Workbench
        canvas={<GraphCanvas graph={graph} marks={marks} selected={selected} onSelect={setSelected} label={`Graph of ${graph.name}`} />}
        aside={
          <>
            {graph.status === 'active' ? <OffTemplates graph={graph} /> : null}
            <ProblemsPanel problems={problems} onSelect={setSelected} />
            {node ? (
              <StepPanel>
                <NodePanel graph={graph} node={node} flow={flow} onSelect={setSelected} />
              </StepPanel>
            ) : (
              <SettingsPanel graph={graph} flow={flow} />
            )}
            <StepsPanel graph={graph} flow={flow} selected={selected} onSelect={setSelected} />
          </>
        }
      />
    </>
  );
}

function flowMarks({ nodes, edges }: SequenceFlow): Marks {
  return {
    nodes: new Map(nodes.map(({ id, standing, failed }) => [id, { standing, failed }])),
    edges: new Map(edges.map((edge) => [edgeId(edge), { passed: edge.passed }])),
  };
}
