import type { Issue } from '../api.ts';
import { isObject, type Json, type JsonObject } from './canonical.ts';
import { type Folder, yamlFileAt } from './folder.ts';
import { type Path, type Placed, pathParts, placed } from './places.ts';
import { parseSequence, type SequenceModel, sequencePath } from './sequence-files.ts';
import { yamlSpots } from './yaml-text.ts';

/** What the server says of a sequence that has a file, each with the line that it is about. */
export async function placedInSequence(folder: Folder, key: string, issues: readonly Issue[]): Promise<Placed[]> {
  const path = (await yamlFileAt(folder, sequencePath(key))) ?? `${sequencePath(key)}.yaml`;
  const text = (await folder.read(path)) ?? '';
  return issues.map((issue) => placedInGraph(text, folder.named(path), issue));
}

/** One issue of the sequence in a text. */
export function placedInGraph(text: string, file: string, issue: Issue): Placed {
  // A problem without a path says in its words which part it is about.
  const called = issue.path ? undefined : (issue.nodeId ?? '');
  return placed(issue, { file, spotOf: yamlSpots(text) }, pathOf(issue, parseSequence(text, file)), called);
}

/** A path that a message begins with: `config.minutes: at least 1`. */
const PATH_FIRST = /^([A-Za-z]\w*(?:\.\w+|\[\d+\])*): /;

/** Which part of the graph an issue is about: problems of a graph name a node, and in their words a path in it or an edge. */
function pathOf({ path, nodeId, message }: Issue, { nodes, edges, ...settings }: SequenceModel): Path {
  if (path) return pathParts(path);
  const said = pathParts(PATH_FIRST.exec(message)?.[1] ?? '');
  const edge = edgeIndex(objects(edges), nodeId, message);
  if (edge >= 0) return ['edges', edge];
  // Of two with one id the second is the one too many.
  const node = objects(nodes).findLastIndex((one) => one.id === nodeId);
  if (nodeId !== undefined) return node < 0 ? [] : ['nodes', node, ...(said[0] === 'config' || said[0] === 'label' ? said : [])];
  const isOfGraph = said[0] === 'nodes' || said[0] === 'edges' || String(said[0]) in settings;
  return isOfGraph ? said : [];
}

function objects(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.map((one) => (isObject(one) ? one : {})) : [];
}

/** The edge that a problem speaks of, the last where it is about two; -1: none. */
function edgeIndex(edges: readonly JsonObject[], nodeId: string | undefined, message: string): number {
  const [, from] = /^an edge comes from (.*), which is no node$/.exec(message) ?? [];
  const [, to] = /^an edge leads to (.*), which is no node$/.exec(message) ?? [];
  const [, key] = /^(?:unknown|two edges have the) branch key ([^;]*)/.exec(message) ?? [];
  if (from !== undefined) return edges.findLastIndex((edge) => edge.from === from);
  if (to !== undefined) return edges.findLastIndex((edge) => edge.to === to && (nodeId === undefined || edge.from === nodeId));
  if (message.startsWith('an edge leads into ')) return edges.findLastIndex((edge) => edge.to === nodeId);
  if (key !== undefined) return edges.findLastIndex((edge) => edge.from === nodeId && edge.branchKey === key);
  if (message.startsWith('an edge leads out ')) return edges.findLastIndex((edge) => edge.from === nodeId);
  if (!/^(?:an edge|two edges) /.test(message)) return -1;
  return edges.findLastIndex((edge) => edge.from === nodeId && edge.branchKey === undefined);
}
