import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './json.module.css';

/** Any value as it is stored, indented. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  return (
    <Code block fz="xs" tabIndex={0} role="region" aria-label={label} className={classes.json}>
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}
