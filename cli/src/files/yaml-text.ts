import { type Document, isMap, isNode, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import { FileFailure } from '../failure.ts';
import { isEqual, isObject, type JsonObject } from './canonical.ts';
import { type Path, pathText, type Source } from './places.ts';

const STYLE = { lineWidth: 0, blockQuote: 'literal' } as const;
const SCHEMA_LINE = /^# yaml-language-server: \$schema=.*$/m;

/** YAML or JSON as a value. `file` names it in what is wrong, and `firstLine` says where in that file the text begins. */
export function parseYaml(text: string, file: string, firstLine = 1): unknown {
  return valueIn(parsed(text), file, firstLine);
}

function parsed(text: string): Document.Parsed {
  return parseDocument(text, { prettyErrors: true, uniqueKeys: true });
}

function valueIn(document: Document.Parsed, file: string, firstLine: number): unknown {
  const [error] = document.errors;
  if (error) {
    const { line = 1 } = error.linePos?.[0] ?? {};
    const [words = ''] = error.message.trim().split('\n');
    throw new FileFailure(file, firstLine - 1 + line, words.replace(/ at line \d+, column \d+:?$/, ''));
  }
  try {
    // Aliases may blow a small file up: the limit of the package stands.
    return document.toJS();
  } catch (problem) {
    throw new FileFailure(file, firstLine, (problem as Error).message);
  }
}

/** The same, of a text that has to be an object. */
export function parseYamlObject(text: string, file: string, firstLine = 1): JsonObject {
  return readYamlObject(text, file, firstLine).value;
}

/** An object that was written as YAML. */
export interface YamlObject {
  readonly value: JsonObject;
  /** A failure about the member at this path, where it is written; about one that is missing, where the object that lacks it begins. */
  wrong(path: Path, what: string): FileFailure;
}

/** The same, with where its members are written. */
export function readYamlObject(text: string, file: string, firstLine = 1): YamlObject {
  const document = parsed(text);
  const value = valueIn(document, file, firstLine) ?? {};
  if (!isObject(value)) throw new FileFailure(file, firstLine, 'should be an object with names and values');
  return {
    value,
    wrong(path, what) {
      return new FileFailure(file, firstLine - 1 + lineAt(text, nearest(document, path).at), what);
    },
  };
}

/** Where the values of a text stand, which begins in this line of its file. */
export function yamlSpots(text: string, firstLine = 1): Source['spotOf'] {
  const document = parsed(text);
  return (path, within) => {
    const name = pathText(path);
    const { at, node } = nearest(document, path);
    const lineOf = (offset: number): number => firstLine - 1 + lineAt(text, offset);
    if (path.length === 0) return { line: undefined, isWithin: false, name };
    if (within !== undefined && isScalar(node)) {
      const begins = lineOf(node.range?.[0] ?? at);
      // Only of this form each line of the text is one of the file.
      if (node.type === 'BLOCK_LITERAL') return { line: begins + within, isWithin: true, name };
      if (within === 1) return { line: begins, isWithin: true, name };
    }
    return { line: lineOf(at), isWithin: false, name };
  };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Where the name of a member or an element stands, or the nearest around it; `node`: the value, where it is there. */
function nearest({ contents }: Document.Parsed, path: Path): { readonly at: number; readonly node?: unknown } {
  let node: unknown = contents;
  let at = 0;
  for (const part of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === part) : undefined;
    const found = isSeq(node) && typeof part === 'number' ? node.items[part] : pair?.value;
    const begins = pair ? pair.key : found;
    if (isNode(begins)) at = begins.range?.[0] ?? at;
    if (!isNode(found)) return { at };
    node = found;
  }
  return { at, node };
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
