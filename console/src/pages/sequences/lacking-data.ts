import { useMemo } from 'react';
import { valueAt } from '../../json.ts';
import type { TemplateField } from '../templates/template-queries.ts';
import { awaitsEvent } from './graph/node-words.ts';
import type { Problem } from './problems.ts';
import { useSentTemplates } from './sent-templates.ts';
import type { SequenceGraph } from './sequence-queries.ts';

type Graph = Pick<SequenceGraph, 'nodes' | 'triggers'>;

/** Filled in for every mail, whatever its data is; an event only where one came. */
const FILLED_IN: readonly string[] = ['contact', 'brand', 'recipient', 'unsubscribeUrl', 'subject', 'now'];

/** What the templates of a sequence require and nothing gives, neither the step nor an event nor the contact: at each step that sends one. */
export function useLackingData(graph: Graph): readonly Problem[] {
  const { nodes, triggers } = graph;
  const { mails, fieldsOf } = useSentTemplates(nodes);
  const text = useMemo(() => {
    const hasEvents = triggers.some(({ enabled }) => enabled) || nodes.some(awaitsEvent);
    const isGiven = (path: string, data: unknown): boolean => {
      const [root = ''] = path.split('.', 1);
      return FILLED_IN.includes(root) || (root === 'event' ? hasEvents : !isBlank(valueAt(data, path)));
    };
    const found = mails.flatMap((mail) =>
      requiredIn(fieldsOf(mail))
        .filter((path) => !isGiven(path, mail.data))
        .map((path): Problem => ({ kind: 'warning', nodeId: mail.nodeId, message: lackingWords(mail.template, path) })),
    );
    return JSON.stringify(found);
  }, [mails, fieldsOf, nodes, triggers]);
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

function requiredIn(fields: readonly TemplateField[]): readonly string[] {
  return fields.filter(({ required }) => required).map(({ path }) => path);
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'string' ? value.trim() === '' : typeof value === 'object' && Object.keys(value).length === 0;
}
