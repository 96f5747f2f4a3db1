import { Box, Group, Text } from '@mantine/core';
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { type Choice, choicesOf } from '../../frame/choices.ts';
import { ChoiceFilter, FilterBar, TextFilter } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { RowName } from '../../frame/row-name.tsx';
import { useSession } from '../../session/session.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { Time } from '../../show/time.tsx';
import { ContactPicker } from './contact-picker.tsx';
import { Enroll } from './enroll.tsx';
import { nodeWords } from './graph/node-words.ts';
import { stepChoices } from './graph/step-choices.ts';
import { LeftOutRuns, leftOutRuns, MAIL_LEFT_OUT } from './left-out-runs.tsx';
import { RunActions } from './run-actions.tsx';
import { RunStatus } from './run-status.tsx';
import { endWords, HOLDS, waitingWords } from './run-words.ts';
import { SequenceFrame } from './sequence-frame.tsx';
import { flowQuery, type Run, type RunFilter, runsQuery, type SequenceGraph } from './sequence-queries.ts';

const STATUSES: Readonly<Record<Run['status'], string>> = { active: 'Active', completed: 'Completed', cancelled: 'Cancelled' };
const LEFT_OUT = [{ value: 'some', label: 'Any reason' }, ...choicesOf(MAIL_LEFT_OUT)];
const HELD = [{ value: 'some', label: 'Any reason' }, ...choicesOf(HOLDS)];
const FAILED_STEPS = [{ value: 'some', label: 'With failed steps' }];

/** What a run waits for, where the words of its node say it already. */
const SAID_BY_NODE = /^(delay|time|condition|event:)/;

/** Who went through a sequence, the last started first. */
export function RunList({ sequence }: { readonly sequence: string }): ReactNode {
  const { query } = useAsked(sequence);
  // Beside the graph, without which nothing is shown.
  usePrefetchQuery(query);
  return (
    <SequenceFrame sequence={sequence} tab="runs">
      {(graph) => <Runs graph={graph} />}
    </SequenceFrame>
  );
}

/** Which runs the address asks for. */
function useAsked(sequence: string) {
  const filters = useFilters(['status', 'nodeId', 'contactId', 'failedSteps', 'held', 'leftOut', 'leftOutAt', 'version']);
  const position = usePosition();
  return { filters, query: runsQuery(sequence, { ...(filters.given as RunFilter), ...position }) };
}

function Runs({ graph }: { readonly graph: SequenceGraph }): ReactNode {
  const { may } = useSession();
  const { filters, query } = useAsked(graph.key);
  const version = filters.get('version');
  const { data: flow } = useQuery(flowQuery(graph.key));
  const { data, error, isPlaceholderData, refetch } = useQuery(query);
  const steps = useMemo(() => withAsked(stepChoices(graph), filters.get('nodeId')), [graph, filters]);
  const paging = usePaging(data);
  const columns = useMemo(() => columnsFor(graph), [graph]);
  return (
    <>
      {flow && leftOutRuns(flow.leftOut) > 0 ? (
        <Text size="sm">
          Contacts left out of an email: <LeftOutRuns sequence={graph.key} counts={flow.leftOut} />
        </Text>
      ) : null}
      <FilterBar filters={filters} rows={data?.enrollments}>
        <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} />
        <ChoiceFilter filters={filters} name="nodeId" label="Step" choices={steps} width={200} />
        <ChoiceFilter filters={filters} name="failedSteps" label="Failed steps" choices={FAILED_STEPS} width={180} />
        <ChoiceFilter filters={filters} name="held" label="On hold" choices={HELD} width={180} />
        <ChoiceFilter filters={filters} name="leftOut" label="Left out" choices={LEFT_OUT} width={180} />
        {filters.get('leftOutAt') ? (
          <ChoiceFilter
            filters={filters}
            name="leftOutAt"
            label="Left out at"
            choices={mailsOf(graph, filters.get('leftOutAt'))}
            width={200}
          />
        ) : null}
        {version ? (
          <ChoiceFilter filters={filters} name="version" label="Version" choices={[{ value: version, label: `Version ${version}` }]} />
        ) : null}
        {may('GET /contacts') ? (
          <Box w={{ base: '100%', sm: 300 }}>
            <ContactPicker
              label={undefined}
              placeholder="Contact"
              contactId={filters.get('contactId')}
              onChange={(id) => filters.set('contactId', id)}
            />
          </Box>
        ) : (
          <TextFilter filters={filters} name="contactId" label="Contact id" width={310} />
        )}
      </FilterBar>
      {data && (data.enrollments.length > 0 || filters.any) ? (
        <Group justify="flex-end">
          <RunActions graph={graph} filter={filters.given as RunFilter} isFiltered={filters.any} />
        </Group>
      ) : null}
      <List
        label="Runs"
        columns={columns}
        rows={data?.enrollments}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${graph.key}/runs/${id}`}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={
          filters.noneMatch('run') ?? {
            title: 'No runs yet',
            text: 'While the sequence is active, contacts enter by its triggers, or are enrolled manually or by the API.',
            action: graph.status === 'active' && <Enroll graph={graph} />,
          }
        }
      />
    </>
  );
}

/** The steps that send an email, and the one that is asked for, whatever it is. */
function mailsOf({ nodes, triggers }: SequenceGraph, asked: string): Choice[] {
  const mails = nodes.filter(({ kind }) => kind === 'send_email').map((node) => ({ value: node.id, label: nodeWords(node, triggers) }));
  return withAsked(mails, asked);
}

/** With what is asked for, which only an earlier version may have had. */
function withAsked(choices: Choice[], asked: string): Choice[] {
  return asked === '' || choices.some(({ value }) => value === asked) ? choices : [...choices, { value: asked, label: asked }];
}

function columnsFor(graph: SequenceGraph): readonly Column<Run>[] {
  return [
    {
      title: 'Contact',
      cell: (run) => <RowName name={run.contact_email ?? run.contact_id} />,
    },
    {
      title: 'Current step',
      width: '26%',
      cell: (run) => <Standing run={run} graph={graph} />,
    },
    {
      title: 'Status',
      width: 122,
      cell: ({ status, failed_steps, sandboxed }) => (
        <>
          <RunStatus status={status} />
          {sandboxed ? <Sandboxed what="run" /> : null}
          {failed_steps > 0 ? (
            <Text inherit span data-unless-roomy fw={600} c="var(--mantine-color-error)">
              {failed_steps} failed
            </Text>
          ) : null}
        </>
      ),
    },
    {
      title: 'Failed steps',
      wideOnly: true,
      roomyOnly: true,
      width: 104,
      align: 'right',
      cell: ({ failed_steps }) => (
        <Text inherit span fw={failed_steps > 0 ? 600 : undefined} c={failed_steps > 0 ? 'var(--mantine-color-error)' : 'dimmed'}>
          {failed_steps}
        </Text>
      ),
    },
    {
      title: 'Next step',
      wideOnly: true,
      roomyOnly: true,
      width: 104,
      align: 'right',
      cell: ({ wakes_at }) => (wakes_at ? <Time at={wakes_at} dimmed /> : null),
    },
    { title: 'Started', width: 110, align: 'right', cell: ({ started_at }) => <Time at={started_at} dimmed /> },
  ];
}

/** The node at which a run stands, and what it waits for there where the node does not say so; or how it has ended. */
function Standing({ run, graph }: { readonly run: Run; readonly graph: SequenceGraph }): ReactNode {
  const standing = standingWords(run, graph);
  return (
    <Box miw={0}>
      <Text inherit truncate title={standing}>
        {standing}
      </Text>
      {run.status === 'active' && run.waiting_for && !SAID_BY_NODE.test(run.waiting_for) ? (
        <Text size="xs" c="dimmed" truncate>
          {waitingWords(run.waiting_for)}
        </Text>
      ) : null}
    </Box>
  );
}

function standingWords({ status, current_node_id, end_reason }: Run, { nodes, triggers }: SequenceGraph): string {
  if (status !== 'active') return end_reason ? endWords(end_reason) : 'Ended';
  const node = nodes.find(({ id }) => id === current_node_id);
  return node ? nodeWords(node, triggers) : (current_node_id ?? 'Starting');
}
