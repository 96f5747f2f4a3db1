import type { Schema } from '@everpost/client';
import { Failure } from '../failure.ts';
import { isObject, type Json, type JsonObject, withoutNullMembers } from './canonical.ts';
import { type FileWarning, type Folder, visibleNames, type WorkFolder, yamlFileAt } from './folder.ts';
import { refuseUnknown } from './known-fields.ts';
import { changedYamlFile, newYamlFile, readYamlObject } from './yaml-text.ts';

/** A sequence as its file has it: what PUT takes, without what goes without saying. */
export type SequenceModel = JsonObject;

export const SEQUENCES = 'sequences';
const KEY = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const KEY_WORDS = '1 to 64 characters a-z, 0-9, _ and -';
const FILE = /^(.*)\.ya?ml$/;
/** In the order in which people write them: of the whole, of a node, of an edge. */
const FIELDS = Object.keys({
  ...{ name: 0, status: 0, reentry: 0, cooldownHours: 0, goal: 0, frequencyCap: 0, sendWindow: 0, triggers: 0, nodes: 0, edges: 0 },
} satisfies Record<keyof Omit<Schema<'FlowGraphInput'>, 'migrate' | 'key' | 'version' | 'ok'>, 0>);
const NODE = Object.keys({ id: 0, kind: 0, label: 0, config: 0 } satisfies Record<keyof Schema<'SendEmailNode'>, 0>);
const EDGE = Object.keys({ from: 0, to: 0, branchKey: 0 } satisfies Record<keyof Schema<'SequenceEdge'>, 0>);

/** Where its file is, without the ending. Throws a Failure for a key that no sequence has. */
export function sequencePath(key: string): string {
  if (!KEY.test(key)) throw new Failure(`${key} is no key of a sequence: ${KEY_WORDS}`);
  return `${SEQUENCES}/${key}`;
}

/** The keys that have a file. */
export async function sequenceKeys(folder: Folder): Promise<string[]> {
  const keys = (await folder.list(SEQUENCES)).map(keyOf).filter((key) => key !== undefined);
  return [...new Set(keys)];
}

function keyOf(name: string): string | undefined {
  const [, key = ''] = FILE.exec(name) ?? [];
  return KEY.test(key) ? key : undefined;
}

/** What stands among the sequences and is none. */
export async function sequenceWarnings(folder: Folder): Promise<FileWarning[]> {
  return (await visibleNames(folder, SEQUENCES))
    .filter((name) => keyOf(name) === undefined)
    .map((name) => ({
      path: `${SEQUENCES}/${name}`,
      message: FILE.test(name)
        ? `ignored: its name is not a sequence key: ${KEY_WORDS}`
        : 'ignored: not a sequence, which is a file <key>.yaml or <key>.yml',
    }));
}

/** Undefined where there is no such file. */
export async function readSequence(folder: Folder, key: string): Promise<SequenceModel | undefined> {
  const path = await yamlFileAt(folder, sequencePath(key));
  return path === undefined ? undefined : parseSequence((await folder.read(path)) ?? '', folder.named(path));
}

/** The sequence in a text. Throws a Failure that names the file where it is written wrong. */
export function parseSequence(text: string, path: string): SequenceModel {
  const file = readYamlObject(text, path);
  const { value: given, wrong } = file;
  refuseUnknown(given, FIELDS, file);
  for (const [name, known] of Object.entries({ nodes: NODE, edges: EDGE })) {
    const list = given[name];
    if (!Array.isArray(list)) throw wrong([name], `${name} should be a list`);
    for (const [at, one] of list.entries()) if (isObject(one)) refuseUnknown(one, known, file, [name, at]);
  }
  return plainSequence(given);
}

/** Without what goes without saying, so that two that mean the same are equal. */
export function plainSequence(given: object): SequenceModel {
  const kept = withoutNullMembers(given as JsonObject);
  const { reentry, sendWindow, triggers, nodes, edges } = kept;
  const plain: Record<string, Json | undefined> = {
    ...kept,
    reentry: reentry === 'once_active' ? undefined : reentry,
    sendWindow: isObject(sendWindow) ? plainWindow(sendWindow) : sendWindow,
    triggers: Array.isArray(triggers) && triggers.length > 0 ? triggers.map(plainTrigger) : undefined,
    nodes: Array.isArray(nodes) ? nodes.map(plainNode) : nodes,
    edges: Array.isArray(edges) ? edges.map((edge) => (isObject(edge) ? inOrder(withoutNullMembers(edge), EDGE) : edge)) : edges,
  };
  return Object.fromEntries(FIELDS.flatMap((name) => (plain[name] === undefined ? [] : [[name, plain[name]]])));
}

/** As people write it: these members first. */
function inOrder(value: JsonObject, names: readonly string[]): JsonObject {
  const known = names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]] as const]));
  return { ...Object.fromEntries(known), ...value };
}

function plainWindow(window: JsonObject): JsonObject {
  const { days, fallback, transactional, ...others } = withoutNullMembers(window);
  return {
    ...others,
    ...(Array.isArray(days) ? { days: days.toSorted((one, other) => Number(one) - Number(other)) } : {}),
    ...(fallback === undefined || fallback === 'UTC' ? {} : { fallback }),
    ...(transactional === true ? { transactional } : {}),
  };
}

function plainTrigger(trigger: Json): Json {
  if (!isObject(trigger)) return trigger;
  const { enabled, config, ...others } = trigger;
  return {
    ...others,
    ...(config === undefined ? {} : { config: isObject(config) ? withoutNullMembers(config) : config }),
    ...(enabled === undefined || enabled === true ? {} : { enabled }),
  };
}

function plainNode(node: Json): Json {
  if (!isObject(node)) return node;
  const { config, ...others } = inOrder(withoutNullMembers(node), NODE);
  if (!isObject(config)) return config === undefined ? others : { ...others, config };
  const kept = plainConfig(config);
  return Object.keys(kept).length > 0 ? { ...others, config: kept } : others;
}

/** As the API reads a config: the body of a call is a value of its own, nulls and all. */
function plainConfig(config: JsonObject): JsonObject {
  const members = Object.entries(config).filter(([name, value]) => value !== null || name === 'body');
  return Object.fromEntries(
    members.map(([name, value]) => {
      if ((name === 'time' || name === 'until') && isObject(value)) return [name, withoutNullMembers(value)];
      if (name === 'arms' && Array.isArray(value)) return [name, value.map((arm) => (isObject(arm) ? withoutNullMembers(arm) : arm))];
      return [name, value];
    }),
  );
}

/** What a file that names neither name nor status means where the server has some: they stay. */
export function completedBy(model: SequenceModel, server: SequenceModel | undefined): SequenceModel {
  return plainSequence({ name: server?.name ?? null, status: server?.status ?? null, ...model });
}

/** Makes the file say what the model says; as it is where it does. Answers with what was written. */
export async function writeSequence(folder: WorkFolder, key: string, model: SequenceModel, url: string): Promise<string[]> {
  const path = (await yamlFileAt(folder, sequencePath(key))) ?? `${sequencePath(key)}.yaml`;
  const before = await folder.read(path);
  const schema = `${url}/schemas/sequence.json`;
  const text = before === undefined ? newYamlFile(model, schema) : changedYamlFile(before, model, schema);
  return (await folder.write(path, text)) ? [path] : [];
}
