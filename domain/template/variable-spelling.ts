import { type Issue, MAX_ISSUES } from '../errors.ts';
import { isSameName, nearestName } from '../nearest-name.ts';
import { SYSTEM_MEMBERS } from './variables.ts';

/**
 * Warnings about paths that a template reads and no mail has a value for, with the right spelling: `contact.firstName`, and `firstName` alone,
 * are `contact.first_name`. `at`: where the template was written.
 */
export function spellingWarnings(paths: readonly string[], at: string): Issue[] {
  return paths
    .flatMap((path) => {
      const message = spellingProblem(path);
      return message === undefined ? [] : { path: at, message };
    })
    .slice(0, MAX_ISSUES);
}

function spellingProblem(path: string): string | undefined {
  const [root = '', member] = path.split('.');
  const known = Object.hasOwn(SYSTEM_MEMBERS, root) ? SYSTEM_MEMBERS[root] : undefined;
  if (known) {
    if (member === undefined || known.includes(member)) return undefined;
    const near = nearestName(member, known);
    if (near !== undefined) return `${shown(path)} is no variable; did you mean ${root}.${near}?`;
    if (root === 'contact') return `${shown(path)} is no variable; a field of your own is contact.attributes.${shown(member)}`;
    return `${shown(path)} is no variable; known: ${known.map((name) => `${root}.${name}`).join(', ')}`;
  }
  const ofContact = member === undefined && SYSTEM_MEMBERS.contact?.find((name) => isSameName(name, root));
  return ofContact ? `${shown(path)} has a value only if data gives it; of the contact it is contact.${ofContact}` : undefined;
}

/** Beyond it a path is not told. */
const MAX_SHOWN = 100;

function shown(path: string): string {
  return path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;
}
