import { isObject, type Json } from './files/canonical.ts';

/** A variable that a template expects. */
export interface Field {
  readonly path: string;
  readonly kind: string;
  readonly sample?: Json;
  readonly required?: boolean;
}

interface Node {
  field?: Field;
  readonly members: Map<string, Node>;
}

/** The type of a template's data: what is required has to be there, what is within an object of its own path is its member. */
export function dataType(fields: readonly Field[], indent = ''): string {
  const root: Node = { members: new Map() };
  for (const field of fields) {
    let at = root;
    for (const name of field.path.split('.')) {
      const next: Node = at.members.get(name) ?? { members: new Map() };
      at.members.set(name, next);
      at = next;
    }
    at.field = field;
  }
  return typeOfNode(root, indent);
}

function typeOfNode({ field, members }: Node, indent: string): string {
  if (members.size === 0) return field ? typeOfField(field, indent) : '{}';
  const inner = `${indent}  `;
  const lines = [...members].map(
    ([name, node]) => `${inner}${propertyName(name)}${isRequired(node) ? '' : '?'}: ${typeOfNode(node, inner)};`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** What has a required member is required itself. */
function isRequired({ field, members }: Node): boolean {
  return field?.required === true || [...members.values()].some(isRequired);
}

function typeOfField({ kind, sample }: Field, indent: string): string {
  if (kind === 'number' || kind === 'boolean') return kind;
  if (kind === 'array')
    return Array.isArray(sample) && sample.length > 0 ? `readonly ${typeOfItems(sample, indent)}[]` : 'readonly unknown[]';
  if (kind === 'object')
    return isObject(sample) && Object.keys(sample).length > 0 ? typeOfItems([sample], indent) : 'Readonly<Record<string, unknown>>';
  // Dates are texts in JSON, and so are addresses.
  return 'string';
}

/** What the items of a sample have in common: a member that some of them lack is optional. */
function typeOfItems(items: readonly Json[], indent: string): string {
  if (items.every(isObject)) {
    const inner = `${indent}  `;
    const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
    if (names.length === 0) return 'Readonly<Record<string, unknown>>';
    const lines = names.map((name) => {
      const values = items.flatMap((item) => (item[name] === undefined ? [] : [item[name] as Json]));
      return `${inner}${propertyName(name)}${values.length === items.length ? '' : '?'}: ${typeOfItems(values, inner)};`;
    });
    return `{\n${lines.join('\n')}\n${indent}}`;
  }
  const types = [
    ...new Set(
      items.map((item) => (Array.isArray(item) ? 'readonly unknown[]' : item === null ? 'null' : isObject(item) ? 'object' : typeof item)),
    ),
  ];
  return types.length === 1 ? (types[0]!.startsWith('readonly') ? `(${types[0]})` : types[0]!) : `(${types.join(' | ')})`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A file that declares the data of each template, by its key, for `everpost.templates.typed<Templates>()`. */
export function templatesDeclaration(
  templates: readonly { readonly key: string; readonly name: string; readonly fields: readonly Field[] }[],
): string {
  const members = templates
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(
      ({ key, name, fields }) =>
        `  /** ${name.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n  ${propertyName(key)}: ${dataType(fields, '  ')};`,
    );
  return `// Written by \`npx everpost types\`; write it again when the data of a template changes.\n\n/** The data of each template, by its key. */\nexport interface Templates {\n${members.join('\n')}\n}\n`;
}
