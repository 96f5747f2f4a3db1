import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { templateKeysQuery } from '../sends/send-queries.ts';
import { type TemplateField, templateSchemaQuery } from '../templates/template-queries.ts';
import type { GraphNode } from './sequence-queries.ts';

/** What a step sends. */
interface Mail {
  readonly nodeId: string;
  readonly template: string;
  readonly brand: string | undefined;
  readonly data: unknown;
}

interface SentTemplates {
  /** One of each step that sends a template of the project. */
  readonly mails: readonly Mail[];
  /** What the template of a mail takes; empty until it is read. */
  fieldsOf(mail: Mail): readonly TemplateField[];
}

/** What the templates take that the steps of a graph send. The same object until that changes. */
export function useSentTemplates(nodes: readonly GraphNode[]): SentTemplates {
  const { data: keys } = useQuery(templateKeysQuery());
  const mails = useMemo(
    () => nodes.flatMap((node) => mailOf(node) ?? []).filter(({ template }) => keys?.includes(template)),
    [nodes, keys],
  );
  const sent = useMemo(
    () => [...new Map(mails.map(({ template, brand }) => [nameOf({ template, brand }), { template, brand }])).values()],
    [mails],
  );
  const read = useQueries({
    queries: sent.map(({ template, brand }) => templateSchemaQuery(template, brand)),
    combine: (schemas) => JSON.stringify(schemas.map(({ data }) => data?.dataSchema ?? [])),
  });
  return useMemo(() => {
    const fields = JSON.parse(read) as readonly (readonly TemplateField[])[];
    const byTemplate = new Map(sent.map((one, index) => [nameOf(one), fields[index] ?? []]));
    return { mails, fieldsOf: (mail) => byTemplate.get(nameOf(mail)) ?? [] };
  }, [read, sent, mails]);
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
