/** A variable that a template expects, as `declared` and `dataSchema` of `GET /templates/:key/schema` have it. */
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
  const command = `npx everpost types${options.demand === 'used' ? ' --demand used' : ''}`;
  return `// Written by \`${command}\`: what your templates want as data.\n\nexport interface Templates {\n${members.join('')}}\n`;
}

function objectOf({ children }: Tree, isDemanded: (tree: Tree) => boolean, indent: string): string {
  if (children.size === 0) return '{}';
  const inner = `${indent}  `;
  const members = [...children].map(([name, tree]) => {
    // To the server null is no value, as absence is.
    const [mark, orNull] = isDemanded(tree) ? ['', ''] : ['?', ' | null'];
    return `${commentOf(tree.field, inner)}${inner}readonly ${property(name)}${mark}: ${typeOf(tree, isDemanded, inner)}${orNull};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

function typeOf(tree: Tree, isDemanded: (tree: Tree) => boolean, indent: string): string {
  const { field, children } = tree;
  if (field?.kind === 'array') return listOf(Array.isArray(field.sample) ? field.sample : []);
  if (children.size > 0) return objectOf(tree, isDemanded, indent);
  switch (field?.kind) {
    case 'number':
    case 'boolean':
      return field.kind;
    case 'date':
      return 'string | Date';
    case 'object':
      return recordOf(isRecord(field.sample) ? [field.sample] : []);
    default:
      return 'string';
  }
}

/** Of what is in a list or an object only a sample is known: its names and kinds are taken from it, and other names are allowed. */
function sampledType(value: unknown): string {
  if (Array.isArray(value)) return listOf(value);
  if (isRecord(value)) return recordOf([value]);
  return value === null ? 'unknown' : typeof value;
}

function listOf(items: readonly unknown[]): string {
  const isOfObjects = items.length > 0 && items.every(isRecord);
  const type = isOfObjects ? recordOf(items) : typesOf(items).join(' | ') || 'unknown';
  return isOfObjects || /^\w+$/.test(type) ? `readonly ${type}[]` : `readonly (${type})[]`;
}

function recordOf(samples: readonly Record<string, unknown>[]): string {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
  const members = names.map((name) => {
    const types = typesOf(samples.flatMap((sample) => (Object.hasOwn(sample, name) ? [sample[name]] : [])));
    return `readonly ${property(name)}?: ${types.includes('unknown') ? 'unknown' : [...types, 'null'].join(' | ')}; `;
  });
  return `{ ${members.join('')}readonly [name: string]: unknown }`;
}

/** Each type once; `unknown` alone, since it takes the others in. */
function typesOf(values: readonly unknown[]): string[] {
  const types = [...new Set(values.map(sampledType))];
  return types.includes('unknown') ? ['unknown'] : types;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
