import * as z from 'zod';
import type { Issue } from './errors.ts';
import { messageOf } from './messages.ts';

// Who reads the issues of a schema imports this file, so no schema speaks zod's own words.
z.config({ customError: messageOf });

/** Every problem that a schema found, each with its path as the caller wrote it; `root` names the value itself. */
export function issuesOf(error: z.ZodError, root = ''): Issue[] {
  return error.issues.flatMap((issue) => toIssues(issue, root));
}

/** Of a union, the problems of the alternative that the value was meant for: of its own type, knowing most of its fields. */
function toIssues(issue: z.core.$ZodIssue, root: string): Issue[] {
  if (issue.code === 'invalid_union') {
    const [meant] = issue.errors
      .filter((problems) => !problems.some(({ code, path }) => code === 'invalid_type' && path.length === 0))
      .sort((left, right) => unknownFields(left) - unknownFields(right));
    if (meant) return meant.flatMap((inner) => toIssues({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue, root));
  }
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
  if (unknown.length > 0) return unknown.map((key) => ({ path: pathText([...issue.path, key], root), message: 'no such field' }));
  return [{ path: pathText(issue.path, root), message: issue.message }];
}

function unknownFields(problems: readonly z.core.$ZodIssue[]): number {
  return problems.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0), 0);
}

/** `contacts[3].email`, as the caller would write it. */
export function pathText(path: readonly PropertyKey[], root = ''): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    root,
  );
}
