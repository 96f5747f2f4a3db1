import type { ComponentType } from 'react';
import type { GraphNode } from '../sequence-queries.ts';
import type { FieldProblems } from './form-problems.ts';
import type { OutcomeChange } from './graph-draft.ts';

export type Config = NonNullable<GraphNode['config']>;

/** What a change of the settings means beside them. */
export interface Also {
  /** What keeps them from being saved, by their fields, which show it. What was wrong before still is at every field that is not named. */
  readonly problems?: FieldProblems;
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
  /** The settings that have an input, which shows what the API finds wrong with them. */
  readonly fields: readonly string[];
}
