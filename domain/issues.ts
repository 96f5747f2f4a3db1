import * as z from 'zod';
import { type Issue, MAX_ISSUES } from './errors.ts';
import { messageOf, REQUIRED } from './messages.ts';

// Who reads the issues of a schema imports this file, so no schema speaks zod's own words.
z.config({ customError: messageOf });

/** A field's name may be as long as a body; in a path it is not told in full. */
const MAX_NAME = 100;

/** Every problem that a schema found, up to MAX_ISSUES, each with its path as the caller wrote it; `root` names the value itself. */
export function issuesOf(error: z.ZodError, root = ''): Issue[] {
  return error.issues
    .slice(0, MAX_ISSUES)
    .flatMap((issue) => toIssues(issue, root))
    .slice(0, MAX_ISSUES);
}

/** What zod says of a union that says nothing itself. */
const UNSAID = 'Invalid input';

/** Of a union, the problems of the alternative that the value was meant for: of its own type, no other constant, knowing most of its fields. */
function toIssues(issue: z.core.$ZodIssue, root: string): Issue[] {
  if (issue.code === 'invalid_union') {
    const ofType = issue.errors.filter((problems) => !isOtherwise(problems, 'invalid_type'));
    const meantAs = ofType.filter((problems) => !isOtherwise(problems, 'invalid_value'));
    const saysItself = issue.message !== UNSAID && !ofType.some(isMissing);
    const possible = meantAs.length > 0 || saysItself ? meantAs : ofType;
    const [meant] = possible.sort((left, right) => unknownFields(left) - unknownFields(right));
    if (meant) return meant.flatMap((inner) => toIssues({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue, root));
  }
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, MAX_ISSUES) : [];
  const lines = issue.message.split('\n');
  if (unknown.length > 0)
    return unknown.map((key, index) => ({ path: pathText([...issue.path, key], root), message: lines[index] ?? issue.message }));
  return [{ path: pathText(issue.path, root), message: issue.message }];
}

function isMissing(problems: readonly z.core.$ZodIssue[]): boolean {
  return problems.some(({ message, path }) => message === REQUIRED && path.length === 0);
}

function isOtherwise(problems: readonly z.core.$ZodIssue[], how: 'invalid_type' | 'invalid_value'): boolean {
  return problems.some(({ code, path }) => code === how && path.length === 0);
}

function unknownFields(problems: readonly z.core.$ZodIssue[]): number {
  return problems.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0), 0);
}

/** `contacts[3].email`, as the caller would write it. */
export function pathText(path: readonly PropertyKey[], root = ''): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${shortened(part)}` : shortened(part)),
    root,
  );
}

function shortened(name: PropertyKey): string {
  const text = String(name);
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}
