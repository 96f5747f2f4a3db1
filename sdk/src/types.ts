/** A variable that a template expects, as `GET /templates/:key/schema` has it. */
export interface DataField {
  /** Dotted, like `order.total`. */
  readonly path: string;
  readonly kind: 'string' | 'number' | 'boolean' | 'array' | 'object' | 'date' | 'url';
  readonly sample?: unknown;
  readonly required?: boolean;
  readonly used?: boolean;
}

/** A template with its variables. */
export interface DescribedTemplate {
  readonly key: string;
  readonly name?: string;
  readonly dataSchema: readonly DataField[];
}

export interface TypeOptions {
  /** Which variables a call cannot leave out: those that the template marks so (`required`, when omitted), or all that it `used`. */
  readonly demand?: 'required' | 'used';
}

interface Tree {
  readonly children: Map<string, Tree>;
  field?: DataField;
}

/** The type of a template's data, as TypeScript has it, in the indentation given. */
export function dataType(dataSchema: readonly DataField[], { demand = 'required' }: TypeOptions = {}, indent = ''): string {
  const root: Tree = { children: new Map() };
  for (const field of dataSchema) {
    let at = root;
    for (const part of field.path.split('.')) {
      const next = at.children.get(part) ?? { children: new Map() };
      at.children.set(part, next);
      at = next;
    }
    at.field = field;
  }
  const isDemanded = ({ field, children }: Tree): boolean =>
    (field !== undefined && (field.required === true || (demand === 'used' && field.used !== false))) ||
    [...children.values()].some(isDemanded);
  return objectOf(root, isDemanded, indent);
}

/** The module that `everpost.templates.typed<Templates>()` takes: an interface with the data of each template by its key. */
export function templatesModule(templates: readonly DescribedTemplate[], options: TypeOptions = {}): string {
  const members = [...templates]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, name, dataSchema }) => {
      const comment = name ? `  /** ${inComment(name)} */\n` : '';
      return `${comment}  readonly ${property(key)}: ${dataType(dataSchema, options, '  ')};\n`;
    });
  return `// Written by \`npx everpost types\`: what your templates want as data.\n\nexport interface Templates {\n${members.join('')}}\n`;
}

function objectOf({ children }: Tree, isDemanded: (tree: Tree) => boolean, indent: string): string {
  if (children.size === 0) return '{}';
  const inner = `${indent}  `;
  const members = [...children].map(([name, tree]) => {
    const mark = isDemanded(tree) ? '' : '?';
    return `${commentOf(tree.field, inner)}${inner}readonly ${property(name)}${mark}: ${typeOf(tree, isDemanded, inner)};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

function typeOf(tree: Tree, isDemanded: (tree: Tree) => boolean, indent: string): string {
  const { field, children } = tree;
  if (field?.kind === 'array') return `readonly ${itemOf(field.sample)}[]`;
  if (children.size > 0) return objectOf(tree, isDemanded, indent);
  switch (field?.kind) {
    case 'number':
      return 'number | string';
    case 'boolean':
      return 'boolean';
    case 'object':
      return '{ readonly [name: string]: unknown }';
    default:
      return 'string | number';
  }
}

/** Of the items of a list only a sample is known: its names are offered, and others are taken. */
function itemOf(sample: unknown): string {
  const items: readonly unknown[] = Array.isArray(sample) ? sample : [];
  const isOfObjects = items.length > 0 && items.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  if (!isOfObjects) return items.length > 0 && items.every((item) => typeof item !== 'object') ? '(string | number | boolean)' : 'unknown';
  const names = new Set(items.flatMap((item) => Object.keys(item as object)));
  return `{ ${[...names].map((name) => `readonly ${property(name)}?: unknown; `).join('')}readonly [name: string]: unknown }`;
}

function commentOf(field: DataField | undefined, indent: string): string {
  if (!field) return '';
  const words = [
    ...(field.kind === 'date' ? ['A date.'] : field.kind === 'url' ? ['An address.'] : []),
    ...(typeof field.sample === 'string' || typeof field.sample === 'number' ? [`Like \`${String(field.sample).slice(0, 80)}\`.`] : []),
  ];
  return words.length > 0 ? `${indent}/** ${inComment(words.join(' '))} */\n` : '';
}

function inComment(text: string): string {
  return text.replaceAll('*/', '* /').replace(/\s+/g, ' ');
}

function property(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
