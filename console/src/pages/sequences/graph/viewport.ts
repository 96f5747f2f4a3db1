import type { Viewport } from '@xyflow/react';
import { type Layout, NODE_HEIGHT, NODE_WIDTH, type Point } from './layout.ts';

/** Below it letters have less than 11 px, so a graph that is larger is shown from its top. */
const READABLE_ZOOM = 0.85;
/** A room like that of a phone. */
const NARROW_ROOM = 520;
/** Where nothing is pressed but steps, to see all of a graph in a narrow room counts for more than to read it with ease; below it no word is read. */
const LEAST_WHOLE_ZOOM = 0.5;
/** A way that is longer is shown from its beginning. */
const LEAST_WAY_ZOOM = 0.5;
const PADDING = 16;
/** Where there is little room. */
const LEAST_PADDING = 3;

/** Whether all of a node is seen. */
export function isSeen({ x, y }: Point, viewport: Viewport, roomWidth: number, roomHeight: number): boolean {
  const left = x * viewport.zoom + viewport.x;
  const top = y * viewport.zoom + viewport.y;
  const [right, bottom] = [left + NODE_WIDTH * viewport.zoom, top + NODE_HEIGHT * viewport.zoom];
  return left >= 0 && top >= 0 && right <= roomWidth && bottom <= roomHeight;
}

/** All of a way, as long as it does not become too small; else its beginning. */
export function viewOf(places: readonly Point[], roomWidth: number, roomHeight: number): Viewport {
  const [left, top] = [Math.min(...places.map(({ x }) => x)), Math.min(...places.map(({ y }) => y))];
  const width = Math.max(...places.map(({ x }) => x)) + NODE_WIDTH - left;
  const height = Math.max(...places.map(({ y }) => y)) + NODE_HEIGHT - top;
  const whole = Math.min((roomWidth - 2 * PADDING) / width, (roomHeight - 2 * PADDING) / height);
  const zoom = Math.min(1, Math.max(LEAST_WAY_ZOOM, whole));
  const middle = width * zoom <= roomWidth ? left + width / 2 : (places[0]?.x ?? left) + NODE_WIDTH / 2;
  const y = height * zoom <= roomHeight ? (roomHeight - height * zoom) / 2 : PADDING;
  return { x: roomWidth / 2 - middle * zoom, y: y - top * zoom, zoom };
}

export interface Room {
  readonly width: number;
  readonly height: number;
  /** The graph is looked at, not changed. */
  readonly isToRead: boolean;
}

/**
 * All of a graph where that can be read, or is to be looked at in a narrow room; else its top, with all of the node where it begins: what is cut
 * there shows that there is more.
 */
export function startOf({ nodes, width, height }: Layout, entry: string, room: Room): Viewport {
  const { width: roomWidth, height: roomHeight } = room;
  const whole = Math.min((roomWidth - 2 * PADDING) / width, (roomHeight - 2 * PADDING) / height);
  const isWhole = whole >= READABLE_ZOOM || (room.isToRead && roomWidth < NARROW_ROOM && whole >= LEAST_WHOLE_ZOOM);
  const zoom = isWhole ? Math.min(1, whole) : READABLE_ZOOM;
  if (width * zoom <= roomWidth) return { x: (roomWidth - width * zoom) / 2, y: PADDING, zoom };
  const begin = nodes.get(entry)?.x ?? 0;
  const centred = begin + NODE_WIDTH / 2 - roomWidth / zoom / 2;
  /** From a column on, up to the end of the node where it begins. */
  const neededFrom = (left: number): number => (begin + NODE_WIDTH - left) * zoom + 2 * LEAST_PADDING;
  const tops = [...nodes.values()].filter(({ y }) => PADDING + y * zoom < roomHeight);
  // Better a column that is whole, and another that is cut, than two that are.
  const columns = tops.map(({ x }) => x).filter((x) => x < begin && neededFrom(x) <= roomWidth);
  const [nearest] = columns.toSorted((a, b) => Math.abs(a - centred) - Math.abs(b - centred));
  if (nearest !== undefined) {
    const padding = Math.min(PADDING, LEAST_PADDING + roomWidth - neededFrom(nearest));
    return { x: padding - nearest * zoom, y: PADDING, zoom };
  }
  const last = width - (roomWidth - PADDING) / zoom;
  return { x: -Math.max(-PADDING / zoom, Math.min(centred, last)) * zoom, y: PADDING, zoom };
}
