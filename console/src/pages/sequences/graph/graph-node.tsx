import { VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconUser, IconX } from '@tabler/icons-react';
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo, type ReactNode } from 'react';
import type { GraphNode } from '../sequence-queries.ts';
import { compact } from './compact.ts';
import classes from './graph.module.css';
import { KindIcon } from './kind-icon.tsx';
import { MailCounts } from './mail-counts.tsx';
import type { NodeMark } from './marks.ts';

export type DrawnNode = Node<
  {
    readonly node: GraphNode;
    readonly words: string;
    /** What happens there, where its words are what people call it. */
    readonly says: string | undefined;
    readonly mark: NodeMark | undefined;
    readonly canConnect: boolean;
  },
  'step'
>;

/** One node of a graph: what happens there, how many stand there, and what is wrong with it. */
export const GraphNodeCard = memo(function GraphNodeCard({ data, selected }: NodeProps<DrawnNode>): ReactNode {
  const { node, words, says, mark, canConnect } = data;
  const { standing = 0, failed = 0, mails, leftOut = 0, places, tone, problems = [], warnings = [] } = mark ?? {};
  const fault = problems.length > 0 ? 'problem' : warnings.length > 0 ? 'warning' : undefined;
  const counts = mails ? <MailCounts mails={mails} leftOut={leftOut} /> : undefined;
  /** Below what happens there, which has both lines where there is nothing else to say. */
  const under = problems[0] ?? counts ?? warnings[0] ?? says ?? (selected ? node.id : undefined);
  return (
    <div className={classes.node} data-selected={selected || undefined} data-tone={tone} data-fault={fault}>
      {node.kind === 'trigger' ? null : (
        <Handle
          type="target"
          position={Position.Top}
          isConnectable={canConnect}
          isConnectableStart={false}
          className={`${classes.handle} ${classes.target}`}
        />
      )}
      <span className={classes.icon} data-kind={node.kind}>
        <KindIcon kind={node.kind} />
      </span>
      <span className={classes.text}>
        <span className={classes.words} title={says ? `${words}: ${says}` : words} data-lines={under === undefined ? 2 : 1}>
          {words}
        </span>
        {under === undefined ? null : (
          <span className={classes.under} title={fault ? [...problems, ...warnings].join('\n') : undefined}>
            {under}
          </span>
        )}
      </span>
      <span className={classes.counts}>
        {places ? (
          <span className={classes.place} data-tone={tone}>
            {placesWords(places)}
          </span>
        ) : null}
        {standing > 0 ? (
          <span className={classes.standing} title={`${standing.toLocaleString('en')} here now`}>
            <IconUser size={11} stroke={2.2} aria-hidden />
            {compact(standing)}
            <VisuallyHidden> here now</VisuallyHidden>
          </span>
        ) : null}
        {failed > 0 ? (
          <span className={classes.failed} title={`failed ${failed.toLocaleString('en')} times`}>
            <IconX size={11} stroke={2.4} aria-hidden />
            {compact(failed)}
            <VisuallyHidden> failed</VisuallyHidden>
          </span>
        ) : null}
        {fault ? <IconAlertTriangle size={15} className={classes.faultIcon} data-fault={fault} aria-hidden /> : null}
      </span>
      {node.kind === 'exit' ? null : (
        <Handle type="source" position={Position.Bottom} isConnectable={canConnect} className={`${classes.handle} ${classes.source}`} />
      )}
    </div>
  );
});

function placesWords(places: readonly number[]): string {
  return places.length > 2 ? `${places[0]}–${places.at(-1)}` : places.join(', ');
}
