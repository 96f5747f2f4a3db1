import { basename } from 'node:path';
import { type Answered, ApiFailure, type Issue } from '../api.ts';
import type { Command, Given } from '../command.ts';
import { EXIT, UsageFailure } from '../failure.ts';
import { isObject, type JsonObject } from '../files/canonical.ts';
import { type Placed, pathParts, placed, unplaced } from '../files/places.ts';
import { parseSequence } from '../files/sequence-files.ts';
import { placedInGraph } from '../files/sequence-places.ts';
import { parseYamlObject, yamlSpots } from '../files/yaml-text.ts';
import { drawnWay } from '../way.ts';
import { findContact } from './contacts.ts';
import { dataOf, textOf } from './send.ts';

async function run(given: Given): Promise<number | undefined> {
  const { positionals, text, texts, flag, out, api } = given;
  const [path = ''] = positionals;
  const who = text('contact');
  const file = text('contact-file');
  if (who !== undefined && file !== undefined) throw new UsageFailure('give --contact or --contact-file, not both');
  const source = await textOf(given, path);
  const graph = parseSequence(source, path);
  const key = text('key') ?? basename(path).replace(/\.(ya?ml|json)$/, '');
  const madeUp = file === undefined ? undefined : await textOf(given, file);
  const contact =
    who === undefined
      ? { contact: madeUp === undefined ? {} : parseYamlObject(madeUp, file ?? '') }
      : { contactId: (await findContact(api, who)).id };
  const assume = assumedOf(texts('assume'));
  const body = {
    ...contact,
    graph,
    ...(Object.keys(assume).length > 0 ? { assume } : {}),
    ...eventOf(given, graph),
    ...(flag('as-if-not-enrolled') ? { asIfNotEnrolled: true } : {}),
  };
  const placedHere = (issue: Issue): Placed => {
    const [first, ...inside] = pathParts(issue.path ?? '');
    if (first === 'contact' && madeUp !== undefined) return placed(issue, { file: file ?? '', spotOf: yamlSpots(madeUp) }, inside);
    return first === undefined || first === 'nodes' ? placedInGraph(source, path, issue) : unplaced(issue);
  };
  const answer = await api.call('sequences.simulate', { path: [key], body }).catch((error: unknown) => {
    throw error instanceof ApiFailure ? error.at(error.issues.map(placedHere)) : error;
  });
  out.data(answer, () => {
    out.line(out.paint('bold', `${key}, ${who ?? (file === undefined ? 'somebody made up' : `the contact of ${file}`)}`));
    for (const line of drawnWay(graph, answer, out)) out.line(line);
    for (const later of answer.runs ?? []) {
      out.line(out.paint('bold', `a further run, from ${later.at}`));
      for (const line of drawnWay(graph, later, out)) out.line(line);
    }
  });
  for (const { path: where, message } of answer.warnings ?? []) out.note(`warning: ${where}: ${message}`);
  return answer.endedBy === 'refused' || answer.endedBy === 'failed' ? EXIT.refused : undefined;
}

/** The outcome of each node that is assumed: the key of a branch, so never JSON. */
function assumedOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, node, outcome] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
      if (node === undefined || outcome === undefined) throw new UsageFailure(`--assume ${pair}: write <node>=<outcome>`);
      return [node, outcome];
    }),
  );
}

/** The event that enrolls: the one that is asked for, else that of the first trigger. */
function eventOf({ text, texts, out }: Given, { triggers }: JsonObject): Answered {
  const payload = dataOf(texts('event-data'), 'event-data');
  const known = (Array.isArray(triggers) ? triggers : [])
    .filter((trigger) => isObject(trigger) && trigger.kind === 'event')
    .map((trigger) => (isObject(trigger) && isObject(trigger.config) ? trigger.config.type : undefined));
  const type = text('event') ?? known[0];
  if (type !== undefined && !known.includes(type))
    out.note(`no trigger of the sequence takes the event ${type}; it is simulated as if one did`);
  return type === undefined ? {} : { event: { type, payload } };
}

export const simulate: Command = {
  name: 'sequences simulate',
  usage: '<file>',
  takes: [1, 1],
  summary: 'Draw the way of one contact through a sequence in a file; sends and writes nothing',
  options: {
    contact: { type: 'string', value: '<id or address>', description: 'a contact of the project' },
    'contact-file': {
      type: 'string',
      value: '<file>',
      description: 'one that is made up, as YAML or JSON: status, tags, attributes, timezone',
    },
    event: { type: 'string', value: '<type>', description: 'the event that enrolls; that of the first trigger when omitted' },
    'event-data': { type: 'string', value: '<name>=<value>', multiple: true, description: 'its data' },
    assume: {
      type: 'string',
      value: '<node>=<outcome>',
      multiple: true,
      description: 'which way it goes there, like wait_project=timeout',
    },
    'as-if-not-enrolled': { type: 'boolean', description: 'as if the contact had never been in the sequence' },
    key: { type: 'string', value: '<key>', description: "of the sequence; the file's name when omitted. It need not be there yet" },
  },
  details: 'Exit code 1: the contact would be refused, or the run would fail.',
  run,
};
