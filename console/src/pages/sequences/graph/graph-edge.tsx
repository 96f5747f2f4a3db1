import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, type ReactFlowState, useStore } from '@xyflow/react';
import { type CSSProperties, memo, type ReactNode } from 'react';
import type { GraphEdge } from '../sequence-queries.ts';
import { compact } from './compact.ts';
import classes from './graph.module.css';
import { type Point, pathThrough } from './layout.ts';
import type { EdgeMark } from './marks.ts';
import { outcomeWords } from './node-words.ts';

export type DrawnEdge = Edge<
  {
    readonly edge: GraphEdge;
    readonly way: readonly Point[];
    readonly label: Point | undefined;
    readonly mark: EdgeMark | undefined;
    /** Like `after Branch: plan is pro, on Yes`. */
    readonly where: string;
    /** Drawn in the middle of it, while the graph is edited. */
    readonly action: ((edge: GraphEdge, where: string) => ReactNode) | undefined;
  },
  'way'
>;

/** Below it no button can be hit, and there may be hundreds. */
const USABLE_ZOOM = 0.4;
/** What a fingertip hits, on the screen. */
const HIT_PX = 24;
/** Edges are drawn anew only from step to step of it, rather than all the while one zooms. */
const HIT_STEP = 6;
/** How large a button has to be within the graph to be hit as it is zoomed; 0: there is none. */
const hitSize = ({ transform: [, , zoom] }: ReactFlowState): number =>
  zoom >= USABLE_ZOOM ? Math.ceil(HIT_PX / zoom / HIT_STEP) * HIT_STEP : 0;

/** One edge, with the outcome that it is for and how many passed. */
export const GraphEdgeLine = memo(function GraphEdgeLine({ id, data, markerEnd }: EdgeProps<DrawnEdge>): ReactNode {
  const hit = useStore(hitSize);
  if (!data) return null;
  const { edge, way, label, mark, where } = data;
  const action = hit > 0 ? data.action : undefined;
  const { passed, conversion, isOnWay = false } = mark ?? {};
  const { branchKey } = edge;
  const hasWords = branchKey !== undefined || passed !== undefined;
  return (
    <>
      <BaseEdge id={id} path={pathThrough(way)} markerEnd={markerEnd} className={classes.edge} data-way={isOnWay || undefined} />
      {label && (hasWords || action) ? (
        <EdgeLabelRenderer>
          <div
            className={`${classes.edgeLabel} nodrag nopan`}
            style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)`, '--hit': `${hit}px` } as CSSProperties}
            data-way={isOnWay || undefined}
            data-ways-of={edge.from}
          >
            {branchKey === undefined ? null : <span className={classes.outcome}>{outcomeWords(branchKey)}</span>}
            {passed === undefined ? null : (
              <span className={classes.passed} title={`${passed.toLocaleString('en')} passed`}>
                {compact(passed)}
              </span>
            )}
            {conversion === undefined ? null : (
              <span className={classes.conversion} title={conversion.whole}>
                {conversion.short}
              </span>
            )}
            {action?.(edge, where)}
          </div>
        </EdgeLabelRenderer>
      ) : null}
    </>
  );
});
