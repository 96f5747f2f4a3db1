import { type Document, parseDocument, stringify } from 'yaml';
import { Failure } from '../failure.ts';
import { isEqual, isObject, type JsonObject } from './canonical.ts';

const STYLE = { lineWidth: 0, blockQuote: 'literal' } as const;
const SCHEMA_LINE = /^# yaml-language-server: \$schema=.*$/m;

/** YAML or JSON as a value. `file` names it in what is wrong. */
export function parseYaml(text: string, file: string): unknown {
  return valueIn(parseDocument(text, { prettyErrors: true, uniqueKeys: true }), file);
}

function valueIn(document: Document.Parsed, file: string): unknown {
  const [error] = document.errors;
  if (error) throw new Failure(`${file}: ${error.message.trim().split('\n')[0]}`);
  try {
    // Aliases may blow a small file up: the limit of the package stands.
    return document.toJS();
  } catch (problem) {
    throw new Failure(`${file}: ${(problem as Error).message}`);
  }
}

/** The same, of a file that has to be an object. */
export function parseYamlObject(text: string, file: string): JsonObject {
  const value = parseYaml(text, file) ?? {};
  if (!isObject(value)) throw new Failure(`${file}: should be an object with names and values`);
  return value;
}

export function yamlText(value: unknown): string {
  return stringify(value, STYLE);
}

/** A file of its own, which tells editors by which schema it is checked. */
export function newYamlFile(value: JsonObject, schemaUrl: string): string {
  return `${schemaLine(schemaUrl)}\n${yamlText(value)}`;
}

function schemaLine(schemaUrl: string): string {
  return `# yaml-language-server: $schema=${schemaUrl}`;
}

/** The text of a file with other values: comments and what has not changed stay as they were written. */
export function changedYamlFile(text: string, value: JsonObject, schemaUrl: string): string {
  const document = parseDocument(text);
  const before: unknown = document.errors.length === 0 ? document.toJS() : undefined;
  if (!isObject(before)) return newYamlFile(value, SCHEMA_LINE.exec(text)?.[0].split('$schema=')[1] ?? schemaUrl);
  for (const name of Object.keys(before)) if (!(name in value)) document.delete(name);
  for (const [name, member] of Object.entries(value)) if (!isEqual(before[name], member)) document.set(name, document.createNode(member));
  return document.toString(STYLE);
}
