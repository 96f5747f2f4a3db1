import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { valueAt } from '../../json.ts';
import { templateKeysQuery } from '../sends/send-queries.ts';
import { type TemplateField, templateSchemaQuery } from '../templates/template-queries.ts';
import { awaitsEvent } from './graph/node-words.ts';
import type { Problem } from './problems.ts';
import type { GraphNode, SequenceGraph } from './sequence-queries.ts';

type Graph = Pick<SequenceGraph, 'nodes' | 'triggers'>;

interface Mail {
  readonly nodeId: string;
  readonly template: string;
  readonly brand: string | undefined;
  readonly data: unknown;
}

/** Filled in for every mail, whatever its data is; an event only where one came. */
const FILLED_IN: readonly string[] = ['contact', 'brand', 'recipient', 'unsubscribeUrl', 'subject', 'now'];

/** What the templates of a sequence require and nothing gives, neither the step nor an event nor the contact: at each step that sends one. */
export function useLackingData(graph: Graph): readonly Problem[] {
  const { data: keys } = useQuery(templateKeysQuery());
  const { nodes, triggers } = graph;
  const mails = useMemo(
    () => nodes.flatMap((node) => mailOf(node) ?? []).filter(({ template }) => keys?.includes(template)),
    [nodes, keys],
  );
  const schemas = useMemo(
    () => [...new Map(mails.map(({ template, brand }) => [nameOf({ template, brand }), { template, brand }])).values()],
    [mails],
  );
  const required = useQueries({
    queries: schemas.map(({ template, brand }) => templateSchemaQuery(template, brand)),
    combine: (read) => JSON.stringify(read.map(({ data }) => requiredIn(data?.dataSchema ?? []))),
  });
  const text = useMemo(() => {
    const paths = JSON.parse(required) as readonly (readonly string[])[];
    const byTemplate = new Map(schemas.map((one, index) => [nameOf(one), paths[index] ?? []]));
    const hasEvents = triggers.some(({ enabled }) => enabled) || nodes.some(awaitsEvent);
    const isGiven = (path: string, data: unknown): boolean => {
      const [root = ''] = path.split('.', 1);
      return FILLED_IN.includes(root) || (root === 'event' ? hasEvents : !isBlank(valueAt(data, path)));
    };
    const found = mails.flatMap(({ nodeId, data, ...of }) =>
      (byTemplate.get(nameOf(of)) ?? [])
        .filter((path) => !isGiven(path, data))
        .map((path): Problem => ({ kind: 'warning', nodeId, message: lackingWords(of.template, path) })),
    );
    return JSON.stringify(found);
  }, [required, schemas, mails, nodes, triggers]);
  // The same list until it says something else: a letter typed elsewhere draws nothing here again.
  return useMemo(() => JSON.parse(text) as readonly Problem[], [text]);
}

/** The words of the API, which says the same of a sequence that is active. */
function lackingWords(template: string, path: string): string {
  return `${template} requires ${path}, but nothing provides it, so the email would fail`;
}

const LACKING = /^\S+ requires \S+, and nothing gives it: the email would fail$/;

/** What the API said of a graph, with what its steps lack as they are now. */
export function withLacking(problems: readonly Problem[], lacking: readonly Problem[]): readonly Problem[] {
  return [...problems.filter(({ message }) => !LACKING.test(message)), ...lacking];
}

/** Nothing as long as it has no template. */
function mailOf({ id, kind, config }: GraphNode): Mail | undefined {
  const { template, brand, data } = config ?? {};
  if (kind !== 'send_email' || typeof template !== 'string' || !template) return undefined;
  return { nodeId: id, template, brand: typeof brand === 'string' ? brand : undefined, data };
}

function nameOf({ template, brand = '' }: Pick<Mail, 'template' | 'brand'>): string {
  return `${template} ${brand}`;
}

function requiredIn(fields: readonly TemplateField[]): readonly string[] {
  return fields.filter(({ required }) => required).map(({ path }) => path);
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'string' ? value.trim() === '' : typeof value === 'object' && Object.keys(value).length === 0;
}
