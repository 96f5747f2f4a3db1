import { topicKeys } from '../db/queries/contacts/topics.ts';
import { brandSlugs } from '../db/queries/projects/brands.ts';
import { Refusal } from '../domain/errors.ts';
import type { SequenceStatus } from '../domain/sequences/statuses.ts';
import { openGraph, type ValidGraph } from '../domain/sequences/validate.ts';
import type { KeyContext } from './route.ts';

/**
 * A graph as the project could keep it, with the name and status that go with it; `statusNow` is that of its sequence. Throws invalid_graph,
 * which names everything that is wrong.
 */
export async function judgedGraph(
  context: KeyContext,
  body: Readonly<Record<string, unknown>>,
  statusNow: SequenceStatus,
): Promise<ValidGraph> {
  const { em, project, registry, checkWebhookUrl } = context;
  const brands = await brandSlugs(em, project.id);
  const topics = [...(await topicKeys(em, project.id))];
  const graph = openGraph(body);
  const faults = await faultsIn(context, graph.texts);
  const known = {
    templates: (await registry.listAll(em, project)).map((template) => template.key),
    brands,
    topics,
    urlProblem: checkWebhookUrl,
  };
  const read = graph.judge(statusNow, known, (text) => faults.get(text));
  if ('valid' in read) return read.valid;
  const message = read.problems.map(({ nodeId, message }) => (nodeId ? `${nodeId}: ${message}` : message)).join('; ');
  throw new Refusal('invalid_graph', message, { body: { issues: read.problems } });
}

/** Why each of the Liquid texts that do not parse does not. */
async function faultsIn({ authoring, project }: KeyContext, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const faults = await authoring.liquidFaults(texts, project.id);
  return new Map(texts.flatMap((text, index) => (faults[index] === undefined ? [] : [[text, faults[index]]])));
}
