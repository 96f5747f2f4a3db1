import type { Answered } from './api.ts';
import { isObject, type Json, type JsonObject } from './files/canonical.ts';
import { type Output, plain } from './output.ts';

const SIGNS: Readonly<Record<string, string>> = {
  trigger: '●',
  send_email: '✉',
  wait_delay: '◷',
  wait_until: '◷',
  digest: '▤',
  throttle: '▽',
  branch: '◆',
  split: '◆',
  update_contact: '✎',
  webhook: '↗',
  subflow: '⇉',
  goal: '★',
  exit: '■',
};

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;

/** The way of a simulation, a line for each node, with when it is come to and which way is taken from it. */
export function drawnWay(graph: JsonObject, { path, sends, endedBy, refusal }: Answered, { paint }: Pick<Output, 'paint'>): string[] {
  if (refusal) return [paint('red', `✕ refused: ${refusal.reason}, ${plain(refusal.message)}`)];
  const width = Math.max(0, ...path.map(({ nodeId }: { nodeId: string }) => nodeId.length));
  const edges = Array.isArray(graph.edges) ? graph.edges.filter(isObject) : [];
  let at: string | undefined;
  const lines: string[] = [];
  for (const [index, step] of path.entries()) {
    const { nodeId, kind, detail = '' } = step;
    const isMail = kind === 'send_email';
    const words = plain(detail);
    const shown = /would be skipped|would fail|failed/.test(words) ? paint('yellow', words) : isMail ? paint('green', words) : words;
    lines.push(
      `${paint('cyan', SIGNS[kind] ?? '○')} ${plain(nodeId).padEnd(width)}  ${paint('dim', timeText(at).padEnd(16))}  ${shown}`.trimEnd(),
    );
    // A wait tells until when: from there on it is that time.
    at = INSTANT.exec(words)?.[0] ?? at;
    const next = path[index + 1];
    if (next) lines.push(`${paint('dim', '│')}${branchOf(edges, nodeId, next.nodeId, paint)}`);
  }
  const mails =
    sends.length === 0 ? 'no email' : `${sends.length} ${sends.length === 1 ? 'email' : 'emails'}: ${sends.map(plain).join(', ')}`;
  return [...lines, `${paint('dim', '└')} ended by ${plain(String(endedBy))}; ${mails}`];
}

function timeText(at: string | undefined): string {
  return at === undefined ? '' : at.slice(0, 16).replace('T', ' ');
}

/** The branch key of the edge between two nodes, where it has one. */
function branchOf(edges: readonly JsonObject[], from: Json, to: Json, paint: Output['paint']): string {
  const keys = edges
    .filter((edge) => edge.from === from && edge.to === to)
    .flatMap(({ branchKey }) => (typeof branchKey === 'string' ? [branchKey] : []));
  return keys.length === 0 ? '' : ` ${paint('blue', plain(keys.join(' or ')))}`;
}
