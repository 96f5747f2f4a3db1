import { useEffect } from 'react';
import { asFailure } from '../api/failure.ts';
import { problemAt } from '../api/issues.ts';

/**
 * What the API says of each field of a form, by the name that the field has in the request; undefined where it has nothing to say. The first field
 * that is wrong is focused as soon as the answer is there; fields show their errors as Mantine's `error`.
 */
export function useFieldErrors(error: unknown): (name: string) => string | undefined {
  const issues = error ? (asFailure(error).details.issues ?? []) : [];
  const hasIssues = issues.length > 0;
  useEffect(() => {
    if (error && hasIssues) document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error, hasIssues]);
  return (name) => problemAt(issues, name);
}
