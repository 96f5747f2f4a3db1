import { isObject } from '../../json.ts';
import type { TemplateField } from '../templates/template-queries.ts';
import { withValueAt } from './edit/forms/data-paths.ts';
import type { GraphNode, SequenceGraph } from './sequence-queries.ts';

/** An event as a simulation has it in its form. */
export interface ExampleEvent {
  /** '' for none. */
  readonly type: string;
  /** A JSON object; '' for none. */
  readonly payload: string;
}

type Graph = Pick<SequenceGraph, 'nodes' | 'triggers'>;

/** The event that enters contacts, with a value for each of its fields that the graph reads, or that are among those that its templates take. */
export function exampleEvent(graph: Graph, fields: readonly TemplateField[]): ExampleEvent {
  const [trigger] = eventTriggers(graph);
  const values = new Map<string, unknown>();
  const add = (path: string, value: unknown): void => {
    if (values.get(path) === undefined) values.set(path, value);
  };
  for (const config of [trigger?.config.match, ...graph.nodes.map(readBy)]) for (const [path, value] of readIn(config)) add(path, value);
  for (const { path, kind, sample } of fields) if (path.startsWith(OF_EVENT)) add(path, sample ?? SAMPLES[kind]);
  const payload = [...values]
    // An object that is read as a whole is made of the fields that are read of it.
    .filter(([path]) => ![...values.keys()].some((other) => other.startsWith(`${path}.`)))
    .reduce<Readonly<Record<string, unknown>>>(
      (data, [path, value]) => withValueAt(data, path.slice(OF_EVENT.length), value ?? SAMPLES.string),
      {},
    );
  return { type: trigger?.config.type ?? '', payload: values.size > 0 ? JSON.stringify(payload, null, 2) : '' };
}

/** The types of the events by which contacts enter, then of those that the steps wait for. */
export function ownEventTypes(graph: Graph): readonly string[] {
  const awaited = graph.nodes.flatMap(({ config }) => (isObject(config?.event) ? [config.event.type] : []));
  const types = [...eventTriggers(graph).map(({ config }) => config.type), ...awaited];
  return [...new Set(types.filter((type) => typeof type === 'string' && type !== ''))] as readonly string[];
}

function eventTriggers({ triggers }: Graph) {
  return triggers.flatMap((trigger) =>
    trigger.kind === 'event' && trigger.enabled !== false && trigger.config.type !== '' ? [trigger] : [],
  );
}

const OF_EVENT = 'event.';

/** For fields whose author has given none. */
const SAMPLES: Readonly<Record<TemplateField['kind'], unknown>> = {
  ...{ string: 'example', number: 1, date: '2026-06-12T18:00:00Z', url: 'https://example.com', boolean: true, array: [], object: {} },
};

/** What a step reads of the event that entered the contact: what it waits for is another one. */
function readBy({ config = {} }: GraphNode): unknown {
  const { event: _, ...others } = config;
  return others;
}

/** The fields of the event that conditions and texts read, each with a value that its condition holds for, where that is known. */
function readIn(config: unknown): readonly (readonly [path: string, value: unknown])[] {
  if (typeof config === 'string') return pathsIn(config).map((path) => [path, undefined] as const);
  if (Array.isArray(config)) return config.flatMap(readIn);
  if (!isObject(config)) return [];
  const { field } = config;
  const asked = typeof field === 'string' && field.startsWith(OF_EVENT) ? [[field, wantedBy(config)] as const] : [];
  return [...asked, ...Object.values(config).flatMap(readIn)];
}

/** In the Liquid of a text. */
function pathsIn(text: string): readonly string[] {
  const tags = text.match(/\{\{.*?\}\}|\{%.*?%\}/gs) ?? [];
  return tags.flatMap((tag) => tag.match(/(?<![\w.])event(?:\.[A-Za-z_][\w-]*)+/g) ?? []);
}

function wantedBy({ op, value }: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'number' && op === 'gt') return value + 1;
  if (typeof value === 'number' && op === 'lt') return value - 1;
  return Array.isArray(value) ? value[0] : value;
}
