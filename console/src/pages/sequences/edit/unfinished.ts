import { keptInTab } from '../../../session/kept-in-tab.ts';
import type { SequenceGraph } from '../sequence-queries.ts';
import type { GraphDraft } from './graph-draft.ts';

/** Changes of a sequence that were not saved: a graph with problems cannot be. */
export interface Unfinished {
  /** When they were made last. */
  readonly at: string;
  /** What they began with. */
  readonly base: SequenceGraph;
  readonly draft: GraphDraft;
  /** What was left before these, and neither gone on with nor discarded when they were made. */
  readonly earlier?: Unfinished | undefined;
}

const PREFIX = keptInTab('unfinished');

/** `project` is its slug, `sequence` a key. undefined: all of it was saved or discarded. */
export function unfinishedOf(project: string, sequence: string): Unfinished | undefined {
  const kept = sessionStorage.getItem(nameOf(project, sequence));
  return kept === null ? undefined : (JSON.parse(kept) as Unfinished);
}

/** Keeps them as long as the tab is open and nobody signs out; undefined forgets them. Without room for more nothing is kept. */
export function keepUnfinished(project: string, sequence: string, unfinished: Unfinished | undefined): void {
  sessionStorage.removeItem(nameOf(project, sequence));
  if (!unfinished) return;
  try {
    sessionStorage.setItem(nameOf(project, sequence), JSON.stringify(unfinished));
  } catch {
    // The last are on the page still, which asks before it is left.
    keepUnfinished(project, sequence, unfinished.earlier);
  }
}

function nameOf(project: string, sequence: string): string {
  return `${PREFIX}.${project}.${sequence}`;
}
