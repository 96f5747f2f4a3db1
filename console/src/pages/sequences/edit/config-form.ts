import type { ComponentType } from 'react';
import type { GraphNode } from '../graph/node-words.ts';
import type { OutcomeChange } from './graph-draft.ts';

export type Config = NonNullable<GraphNode['config']>;

/** What a change of the settings means beside them. */
export interface Also {
  /** Keeps them from being saved; it stands at its field already. Absent: what was wrong before still is. */
  readonly problem?: string | undefined;
  /** The edges of the step follow. */
  readonly outcome?: OutcomeChange | undefined;
}

export interface FormGiven {
  readonly config: Config;
  readonly onChange: (config: Config, also?: Also) => void;
}

/** The form of a kind of step. */
export interface ConfigForm {
  readonly Form: ComponentType<FormGiven>;
  /** Whether the form shows all that such settings decide. */
  readonly fits: (config: Config) => boolean;
}
