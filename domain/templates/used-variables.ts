import { analyzeSync, Output, type Template, Token, type Variables } from 'liquidjs';
import type { Content } from './content.ts';
import { contentStrings } from './content-strings.ts';
import { LiquidFault, parseLiquid } from './liquid.ts';

export interface UsedVariable {
  /** Dotted, without indexes: `order.items`. */
  readonly path: string;
  readonly kind: 'string' | 'array';
}

/** Every variable that the subject and the content read, `row` and names of their own aside; in the order of the mail. */
export function usedVariables(subject: string, content: Content): UsedVariable[] {
  const found = new Map<string, UsedVariable>();
  const add = (path: string, kind: UsedVariable['kind']): void => {
    if (!found.has(path) || kind === 'array') found.set(path, { path, kind });
  };
  for (const path of pathsOf(parseLiquid(subject))) add(path, 'string');
  for (const { source, role } of contentStrings(content, 'content')) {
    if (role === 'condition') add(withoutIndexes(source), 'string');
    else if (role === 'rows') add(withoutIndexes(source), 'array');
    else for (const path of pathsOf(parseLiquid(source))) if (role !== 'cell' || !isRow(path)) add(path, 'string');
  }
  return [...found.values()];
}

/** Every path that one source reads; of one that does not parse, none. */
export function variablesIn(source: string): string[] {
  try {
    return [...new Set(pathsOf(parseLiquid(source)))];
  } catch (error) {
    if (error instanceof LiquidFault) return [];
    throw error;
  }
}

/** A path whose value is shown when all of `showIf` have a value; a mere path is shown always. */
export type WrittenPath = string | { readonly path: string; readonly showIf: readonly string[] };

/** Paths whose values the content shows: written out with no default, or listed by a table. */
export function writtenPaths(content: Content): WrittenPath[] {
  const found = new Map<string, WrittenPath>();
  for (const { source, role, showIf = [] } of contentStrings(content, 'content')) {
    if (role === 'condition') continue;
    const paths = role === 'rows' ? [source] : writtenBy(source).filter((path) => role !== 'cell' || !isRow(path));
    for (const path of paths) found.set([path, ...showIf].join(' '), showIf.length > 0 ? { path, showIf } : path);
  }
  return [...found.values()];
}

/** The same for one source, like a subject. */
export function writtenBy(source: string): string[] {
  if (!source.includes('{{')) return [];
  const templates = parseLiquid(source);
  const readFromOutside = new Set(pathsOf(templates));
  // A page shows the same in many places, and each is read in a tenth of a millisecond.
  const outputs = new Map(outputsIn(templates).map((output) => [output.token.getText(), output]));
  return [...outputs.values()].flatMap((output) => pathsOf([output]).filter((path) => readFromOutside.has(path)));
}

function isRow(path: string): boolean {
  return path === 'row' || path.startsWith('row.');
}

/** Outputs outside of tags: what stands in an `if` or a `for` is shown only sometimes. */
function outputsIn(templates: readonly Template[]): Template[] {
  return templates.filter((template) => {
    return template instanceof Output && !template.value.filters.some(({ name }) => name === 'default');
  });
}

function pathsOf(templates: Template[]): string[] {
  const { globals } = analyzed(templates);
  return Object.values(globals)
    .flat()
    .map((variable) => dotted(variable.segments));
}

/** Without the line and column of each variable: to find one, liquidjs reads the source from its beginning. */
function analyzed(templates: Template[]): { readonly globals: Variables } {
  const { getPosition } = Token.prototype;
  Token.prototype.getPosition = () => [0, 0];
  try {
    return analyzeSync(templates);
  } finally {
    Token.prototype.getPosition = getPosition;
  }
}

function dotted(segments: Variables[string][number]['segments']): string {
  const names: string[] = [];
  for (const segment of segments) {
    // What follows an index or a computed key belongs to a member, which the schema does not describe.
    if (typeof segment !== 'string') break;
    if (names.length > 0 && (segment === 'size' || segment === 'first' || segment === 'last')) break;
    names.push(segment);
  }
  return names.join('.');
}

function withoutIndexes(path: string): string {
  return path.replace(/\[.*$/, '');
}
