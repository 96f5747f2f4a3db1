import { type Issue, MAX_ISSUES } from '../errors.ts';
import { isSameName, nearestName } from '../nearest-name.ts';
import type { DataField } from './registry-entry.ts';
import { SYSTEM_VARIABLES } from './variables.ts';

/** What a text of Liquid may read. */
export interface VariableScope {
  /** Names of ours and what may follow each; null: whatever there is. */
  readonly names: Readonly<Record<string, readonly string[] | null>>;
  /** Paths that data gives or is expected to give, beside which it may give others; absent where there is no data. */
  readonly data?: readonly string[];
}

/** Nobody's field is longer. */
const MAX_NAME = 100;

/** That of the mails of a template, and with this data where it is known. */
export function mailScope(dataSchema: readonly DataField[], data: object = {}): VariableScope {
  const names = [...dataSchema.map(({ path }) => path), ...Object.keys(data)];
  return { names: SYSTEM_VARIABLES, data: names.filter((name) => name.length <= MAX_NAME) };
}

/**
 * Warnings about paths that are read and have no value, with the right spelling: `contact.firstName`, and `firstName` alone, are
 * `contact.first_name`. `at`: where the Liquid was written.
 */
export function spellingWarnings(paths: readonly string[], at: string, scope: VariableScope): Issue[] {
  return paths
    .slice(0, MAX_PATHS)
    .flatMap((path) => {
      const message = spellingProblem(path, scope);
      return message === undefined ? [] : { path: at, message };
    })
    .slice(0, MAX_ISSUES);
}

/** More are not looked at: each may be compared to many names. */
const MAX_PATHS = 200;

function spellingProblem(path: string, { names, data }: VariableScope): string | undefined {
  const [root = '', member] = path.split('.');
  const members = Object.hasOwn(names, root) ? names[root] : undefined;
  if (members === null) return undefined;
  if (members) return member === undefined ? undefined : memberProblem(path, [root, member], members);
  const meant = meantBy(path, names);
  if (!data) return `${shown(path)} is no variable here; ${instead(path, meant, Object.keys(names))}`;
  if (data.some((given) => given.split('.', 1)[0] === root)) return undefined;
  if (meant) {
    return `use ${shown(meant)}: ${shown(path)} is empty unless the data has it`;
  }
  const ours = member === undefined ? undefined : nearestName(root, Object.keys(names));
  if (ours && names[ours]?.includes(member ?? '')) return `${shown(path)} is no variable; did you mean ${ours}.${member}?`;
  const near = nearestName(path, data);
  return near === undefined ? undefined : `${shown(path)} is no field of the data; did you mean ${shown(near)}?`;
}

function memberProblem(path: string, [root, member]: readonly [string, string], members: readonly string[]): string | undefined {
  if (members.includes(member)) return undefined;
  const near = nearestName(member, members);
  if (near !== undefined) return `${shown(path)} is no variable; did you mean ${root}.${near}?`;
  if (root === 'contact') return `${shown(path)} is no variable; a field of your own is contact.attributes.${shown(member)}`;
  return `${shown(path)} is no variable; known: ${members.map((name) => `${root}.${name}`).join(', ')}`;
}

/** The variable of ours that was probably meant by a path that begins with none: `attributes.plan`, as conditions name it, `email`, `unsubscribe_url`. */
function meantBy(path: string, names: VariableScope['names']): string | undefined {
  const [root = '', ...members] = path.split('.');
  if (root === 'attributes' && members.length > 0) return `contact.${path}`;
  const ofContact = members.length === 0 && names.contact?.find((name) => isSameName(name, root));
  if (ofContact) return `contact.${ofContact}`;
  const own = Object.keys(names).find((name) => isSameName(name, root));
  return own && [own, ...members].join('.');
}

function instead(path: string, meant: string | undefined, roots: readonly string[]): string {
  const [root = '', ...members] = path.split('.');
  const near = nearestName(root, roots);
  const better = meant ?? (near && [near, ...members].join('.'));
  return better ? `did you mean ${shown(better)}?` : `known: ${roots.join(', ')}`;
}

/** Beyond it a path is not told. */
const MAX_SHOWN = 100;

function shown(path: string): string {
  return path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;
}
