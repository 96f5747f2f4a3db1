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
  const text = stringify(value, STYLE);
  return isRead(text, value) ? text : stringify(value, QUOTED);
}

/** Not every text survives as a literal block: one that begins with a line of spaces does not. */
const QUOTED = { ...STYLE, blockQuote: false, defaultStringType: 'QUOTE_DOUBLE' } as const;

function isRead(text: string, value: unknown): boolean {
  const document = parseDocument(text);
  return document.errors.length === 0 && isEqual(document.toJS(), value);
}

/** A file of its own, which tells editors by which schema it is checked. */
export function newYamlFile(value: JsonObject, schemaUrl: string): string {
  return `${schemaLine(schemaUrl)}\n${yamlText(value)}`;
}

function schemaUrlOf(text: string): string | undefined {
  return SCHEMA_LINE.exec(text)?.[0].split('$schema=')[1];
}

function schemaLine(schemaUrl: string): string {
  return `# yaml-language-server: $schema=${schemaUrl}`;
}

/** The text of a file with other values: comments and what has not changed stay as they were written. */
export function changedYamlFile(text: string, value: JsonObject, schemaUrl: string): string {
  const document = parseDocument(text);
  const before: unknown = document.errors.length === 0 ? document.toJS() : undefined;
  if (!isObject(before)) return newYamlFile(value, schemaUrlOf(text) ?? schemaUrl);
  for (const name of Object.keys(before)) if (!(name in value)) document.delete(name);
  for (const [name, member] of Object.entries(value)) if (!isEqual(before[name], member)) document.set(name, document.createNode(member));
  const changed = document.toString(STYLE);
  return isRead(changed, value) ? changed : newYamlFile(value, schemaUrlOf(text) ?? schemaUrl);
}
