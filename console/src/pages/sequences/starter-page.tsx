import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { DetailSkeleton, Fact } from '../../frame/detail.tsx';
import { FormDialog } from '../../frame/form.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { GraphCanvas } from './graph/graph-canvas.tsx';
import { wayMarks } from './graph/marks.ts';
import { NewSequenceForm } from './new-sequence-form.tsx';
import { NodePanel } from './node-panel.tsx';
import { type SequenceGraph, type Starter, sequencesQuery, starterQuery } from './sequence-queries.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { SimulationPanel } from './simulation-panel.tsx';
import { waySteps } from './simulation-words.ts';
import { ALL_STARTERS } from './starter-list.tsx';
import { StepPanel, Workbench } from './workbench.tsx';

const STARTER_LIST = { to: `?starter=${ALL_STARTERS}`, label: 'Sequence templates' };

/** One ready sequence: its graph with the way of an example, and what makes it a sequence of the project. */
export function StarterPage({ starter: key }: { readonly starter: string }): ReactNode {
  const { may } = useSession();
  const { data: starter, error, refetch } = useQuery(starterQuery(key));
  return (
    <Page
      title={starter?.name ?? (error ? 'Sequence template' : undefined)}
      description={starter?.description}
      back={STARTER_LIST}
      isWide
      actions={
        may('PUT /sequences/{key}') ? (
          starter && <UseStarter starter={starter} />
        ) : (
          <ReadsOnly things="sequences" doing="creating" operation="PUT /sequences/{key}" />
        )
      }
    >
      {error && !starter ? <Unread error={error} onRetry={refetch} what="sequence template" back={STARTER_LIST} /> : null}
      {starter || error ? null : <DetailSkeleton />}
      {starter ? <StarterBench starter={starter} /> : null}
    </Page>
  );
}

function UseStarter({ starter }: { readonly starter: Starter }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const { data: sequences } = useQuery(sequencesQuery());
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Use this sequence…</Button>
      <FormDialog opened={isOpen} onClose={() => setIsOpen(false)} title={`New sequence: ${starter.name}`}>
        <NewSequenceForm taken={sequences?.map(({ key }) => key) ?? []} starter={starter} />
      </FormDialog>
    </>
  );
}

const NONE_FAIL = new Map<string, string>();

function StarterBench({ starter }: { readonly starter: Starter }): ReactNode {
  const { simulation } = starter;
  const [selected, setSelected] = useState<string>();
  const graph = useMemo<SequenceGraph>(
    () => ({ ...starter.graph, key: starter.key, name: starter.name, version: 1, status: 'draft' }) as SequenceGraph,
    [starter],
  );
  const marks = useMemo(() => wayMarks(waySteps(simulation.path, NONE_FAIL), graph.edges), [simulation, graph]);
  const node = graph.nodes.find(({ id }) => id === selected);
  return (
    <Workbench
      bar={
        <Text size="sm">
          <b>Example</b>
          <Text span inherit c="dimmed" ml={8}>
            {exampleWords(starter)}
          </Text>
        </Text>
      }
      canvas={
        <GraphCanvas
          graph={graph}
          marks={marks}
          selected={selected}
          onSelect={setSelected}
          label={`Example path through ${starter.name}`}
        />
      }
      aside={
        <>
          {node ? (
            <StepPanel>
              <NodePanel graph={graph} node={node} onSelect={setSelected} />
            </StepPanel>
          ) : (
            <SettingsPanel graph={graph}>
              <Fact name="Comes with">{templatesWords(starter)}</Fact>
            </SettingsPanel>
          )}
          <SimulationPanel graph={graph} simulation={simulation} failing={NONE_FAIL} isAsked={false} onSelect={setSelected} />
        </>
      }
    />
  );
}

/** Like `a contact whose plan is team, by the event signed_up: 2 emails`. */
function exampleWords({ simulation: { attributes, eventType, sends } }: Starter): string {
  const whose = Object.entries(attributes).map(([name, value]) => `${name} is ${value}`);
  return `a contact${whose.length > 0 ? ` whose ${whose.join(' and ')}` : ''}, by the event ${eventType}: ${sends.length} emails`;
}

/** Those that the project lacks. */
function templatesWords({ templates }: Starter): string | null {
  return templates.length > 0
    ? `${templates.map(({ name }) => name).join(', ')}: ${templates.length === 1 ? 'template' : 'templates'} added with it, off until you turn ${templates.length === 1 ? 'it' : 'them'} on`
    : null;
}
