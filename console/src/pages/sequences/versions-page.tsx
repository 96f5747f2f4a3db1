import { Button, Text, UnstyledButton } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../frame/detail.tsx';
import { useFilters } from '../../frame/filters.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Time } from '../../show/time.tsx';
import { changeLines, changeMarks, changesBetween, type GraphChanges } from './edit/graph-changes.ts';
import { GraphCanvas } from './graph/graph-canvas.tsx';
import { NO_MARKS } from './graph/marks.ts';
import { NodePanel } from './node-panel.tsx';
import { SequenceFrame } from './sequence-frame.tsx';
import { type SequenceGraph, versionQuery, versionsQuery } from './sequence-queries.ts';
import classes from './sequences.module.css';
import { StepPanel, Workbench } from './workbench.tsx';

/** The graphs that a sequence has had, each with what it changed. */
export function VersionsPage({ sequence }: { readonly sequence: string }): ReactNode {
  return (
    <SequenceFrame sequence={sequence} tab="versions">
      {(graph) => <Versions graph={graph} />}
    </SequenceFrame>
  );
}

function Versions({ graph: current }: { readonly graph: SequenceGraph }): ReactNode {
  const { may } = useSession();
  const { key } = current;
  const address = useFilters(['version']);
  const chosen = Number(address.get('version')) || current.version;
  const isCurrent = chosen === current.version;
  const version = useQuery({ ...versionQuery(key, chosen), enabled: !isCurrent });
  const before = useQuery({ ...versionQuery(key, chosen - 1), enabled: chosen > 1 });
  const graph = isCurrent ? current : version.data;
  const [selected, setSelected] = useState<string>();
  // A version has no name of its own: it is read with the one that the sequence has at that time.
  const changes = useMemo(
    () => (graph && before.data ? changesBetween({ ...before.data, name: graph.name }, graph) : undefined),
    [graph, before.data],
  );
  const marks = useMemo(() => (changes ? changeMarks(changes) : NO_MARKS), [changes]);
  const node = graph?.nodes.find(({ id }) => id === selected);
  const error = version.error ?? before.error;
  return (
    <>
      {error ? <FailureNotice error={error} onRetry={() => void Promise.all([version.refetch(), before.refetch()])} /> : null}
      <Workbench
        canvas={
          graph ? (
            <GraphCanvas graph={graph} marks={marks} selected={selected} onSelect={setSelected} label={`Graph of version ${chosen}`} />
          ) : null
        }
        aside={
          <>
            {graph && node ? (
              <StepPanel>
                <NodePanel graph={graph} node={node} onSelect={setSelected} />
              </StepPanel>
            ) : null}
            <Panel title={`Version ${chosen}`}>
              {chosen === 1 ? <Text size="sm">The first.</Text> : null}
              {chosen > 1 && changes ? <Changes changes={changes} before={chosen - 1} /> : null}
              {isCurrent || !may('PUT /sequences/{key}') ? null : (
                <Button
                  component={Link}
                  href={`/${key}/edit?from=${chosen}`}
                  variant="default"
                  mt="sm"
                  leftSection={<IconPencil size={14} />}
                >
                  Edit from this version
                </Button>
              )}
            </Panel>
            <VersionList
              sequence={key}
              chosen={chosen}
              onChoose={(one) => address.set('version', one === current.version ? '' : String(one))}
            />
          </>
        }
      />
    </>
  );
}

function Changes({ changes, before }: { readonly changes: GraphChanges; readonly before: number }): ReactNode {
  const lines = changeLines(changes);
  if (lines.length === 0) {
    return <Text size="sm">Steps and settings are those of version {before}.</Text>;
  }
  return (
    <>
      <Text size="sm">Against version {before}:</Text>
      <ul className={classes.changes}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

interface ListGiven {
  readonly sequence: string;
  readonly chosen: number;
  readonly onChoose: (version: number) => void;
}

function VersionList({ sequence, chosen, onChoose }: ListGiven): ReactNode {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(versionsQuery(sequence));
  const versions = data?.pages.flat();
  if (error && !versions) return <FailureNotice error={error} onRetry={refetch} />;
  return (
    <Panel title="Versions" flush>
      <ul className={classes.steps} aria-busy={!versions}>
        {versions?.map(({ version, nodes, created_at, active }, index) => (
          <li key={version}>
            <UnstyledButton className={classes.step} aria-pressed={version === chosen} onClick={() => onChoose(version)}>
              <span className={classes.stepWords}>
                Version {version}
                {index === 0 ? ', current' : ''}
              </span>
              <span className={classes.stepCounts}>
                {active > 0 ? `${active.toLocaleString('en')} active, ` : ''}
                {nodes} steps, <Time at={created_at} />
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <Button variant="subtle" color="gray" fullWidth radius={0} loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show earlier ones
        </Button>
      ) : null}
    </Panel>
  );
}
