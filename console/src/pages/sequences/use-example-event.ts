import { useMemo } from 'react';
import { type ExampleEvent, exampleEvent } from './example-event.ts';
import { useSentTemplates } from './sent-templates.ts';
import type { SequenceGraph } from './sequence-queries.ts';

/** The event that enters contacts, with what the graph and the templates that it sends read of it. */
export function useExampleEvent(graph: Pick<SequenceGraph, 'nodes' | 'triggers'>): ExampleEvent {
  const { mails, fieldsOf } = useSentTemplates(graph.nodes);
  return useMemo(() => exampleEvent(graph, mails.flatMap(fieldsOf)), [graph, mails, fieldsOf]);
}
