import { ActionIcon, Anchor, Group, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { capitalized } from '../../letters.ts';
import { CopiedId } from '../../show/copied-id.tsx';
import { Json } from '../../show/json.tsx';
import { percent } from '../../show/percent.ts';
import { isUnreported, UNREPORTED } from '../../show/reported.ts';
import { conversionOf } from './conversion.ts';
import { edgeId } from './graph/layout.ts';
import { MAIL_COUNTS } from './graph/mail-counts.tsx';
import type { MailNumbers } from './graph/marks.ts';
import { kindName, nodeWords, outcomeWords, whatHappens } from './graph/node-words.ts';
import { LeftOutRuns, leftOutRuns } from './left-out-runs.tsx';
import type { GraphNode, SequenceFlow, SequenceGraph } from './sequence-queries.ts';
import { StepMail } from './step-mail.tsx';

interface Given {
  readonly graph: SequenceGraph;
  readonly node: GraphNode;
  readonly flow?: SequenceFlow | undefined;
  /** Whose runs alone the flow has; undefined: all. */
  readonly ofVersion?: number | undefined;
  readonly onSelect: (nodeId: string | undefined) => void;
}

/** One node: what it does, what became of those who came, and where it leads. */
export function NodePanel({ graph, node, flow, ofVersion, onSelect }: Given): ReactNode {
  const counts = flow?.nodes.find(({ id }) => id === node.id);
  const out = graph.edges.filter(({ from }) => from === node.id);
  const flowOf = new Map(flow?.edges.map((edge) => [edgeId(edge), edge]));
  const words = (id: string): string => {
    const target = graph.nodes.find((one) => one.id === id);
    return target ? nodeWords(target, graph.triggers) : id;
  };
  const hasConfig = node.config !== undefined && Object.keys(node.config).length > 0;
  return (
    <Panel
      title={kindName(node)}
      action={
        <ActionIcon onClick={() => onSelect(undefined)} aria-label="Close step">
          <IconX size={15} />
        </ActionIcon>
      }
    >
      <Facts>
        {node.label ? <Fact name="Label">{node.label}</Fact> : null}
        <Fact name="What">{whatHappens(node, graph.triggers)}</Fact>
        <Fact name="Id">
          <CopiedId value={node.id} name="node id" />
        </Fact>
        {counts ? (
          <>
            <Fact name="Here now">{counts.standing.toLocaleString('en')}</Fact>
            <Fact name="Entered">{counts.visits.toLocaleString('en')}</Fact>
            <Fact name="Failed">{counts.failed > 0 ? <Failed count={counts.failed} /> : 'none'}</Fact>
          </>
        ) : null}
        {counts?.mails ? <Mails mails={counts.mails} /> : null}
        {counts?.leftOut && leftOutRuns(counts.leftOut) > 0 ? (
          <Fact name="Left out">
            <LeftOutRuns sequence={graph.key} counts={counts.leftOut} nodeId={node.id} version={ofVersion} />
          </Fact>
        ) : null}
        {out.map((edge) => (
          <Fact key={edgeId(edge)} name={edge.branchKey === undefined ? 'Then' : outcomeWords(edge.branchKey)}>
            <Group gap="xs" justify="space-between" wrap="nowrap">
              <Anchor component="button" type="button" inherit ta="left" onClick={() => onSelect(edge.to)}>
                {words(edge.to)}
              </Anchor>
              {flowOf.has(edgeId(edge)) ? (
                <Text inherit c="dimmed" style={{ flex: 'none' }}>
                  {flowOf.get(edgeId(edge))?.passed.toLocaleString('en')}
                </Text>
              ) : null}
            </Group>
            <Conversion words={flow && conversionOf(flowOf.get(edgeId(edge))?.arm, flow.reachedBy)?.whole} />
          </Fact>
        ))}
      </Facts>
      <StepMail node={node} />
      {hasConfig ? (
        <>
          <Text size="xs" c="dimmed" mt="sm" mb={4}>
            Settings
          </Text>
          <Json value={node.config} label={`Settings of ${node.id}`} />
        </>
      ) : null}
    </Panel>
  );
}

/** Each with its share of those that were sent. */
function Mails({ mails }: { readonly mails: MailNumbers }): ReactNode {
  return MAIL_COUNTS.map(({ of }) => (
    <Fact key={of} name={capitalized(of)}>
      {of === 'delivered' && isUnreported(mails.delivered, mails.sent) ? (
        UNREPORTED
      ) : (
        <>
          {mails[of].toLocaleString('en')}
          {of === 'sent' || mails.sent === 0 ? null : (
            <Text span inherit c="dimmed">
              {` · ${percent(mails[of], mails.sent)}`}
            </Text>
          )}
        </>
      )}
    </Fact>
  ));
}

function Conversion({ words }: { readonly words: string | undefined }): ReactNode {
  return words ? (
    <Text size="xs" c="dimmed">
      {words}
    </Text>
  ) : null;
}

function Failed({ count }: { readonly count: number }): ReactNode {
  return (
    <Text inherit span fw={600} c="var(--mantine-color-error)">
      {count.toLocaleString('en')}
    </Text>
  );
}
