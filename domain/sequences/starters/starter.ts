import type * as z from 'zod';
import type { SendType } from '../../sends/send.ts';
import type { Content } from '../../templates/content.ts';
import type { DataField } from '../../templates/registry-entry.ts';
import type { FlowGraphInput } from '../schema.ts';

/** A template that a starter brings for projects that have none with its key, as POST /templates takes it. */
export interface StarterTemplate {
  readonly key: string;
  readonly type: SendType;
  readonly name: string;
  readonly description: string;
  /** Liquid. */
  readonly subject: string;
  readonly dataSchema: readonly DataField[];
  readonly content: Content;
}

/** Whom the simulation of a starter leads through it, and what is assumed on the way. */
export interface StarterExample {
  readonly attributes: Readonly<Record<string, string>>;
  readonly event: { readonly type: string; readonly payload: Readonly<Record<string, string | number>> };
  /** Outcomes by node id. */
  readonly assume: Readonly<Record<string, string>>;
}

/** A sequence that is ready to be taken over and changed. */
export interface Starter {
  /** Names it among the starters. */
  readonly key: string;
  readonly name: string;
  /** What it does, in a sentence or two, for whoever picks one. */
  readonly description: string;
  /** Those of its mails that do not ship with the installation. */
  readonly templates: readonly StarterTemplate[];
  readonly example: StarterExample;
  readonly graph: Omit<z.input<typeof FlowGraphInput>, 'key' | 'version' | 'ok' | 'name' | 'status'>;
}

export const DAY_MINUTES = 1440;

/** Half past nine on a working day, where the contact is. */
export const NEXT_MORNING = {
  time: { at: '09:30', weekdays: [1, 2, 3, 4, 5], timezone: 'contact', fallback: 'UTC' },
};
