import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Series } from './plot.ts';

interface Given<Name extends string> {
  readonly title: string;
  readonly series: readonly Series<Name>[];
  readonly rows: readonly (Readonly<Record<Name, unknown>> & { readonly from: string; readonly when: string })[];
}

/** A plot for those who do not see it. */
export function PlottedNumbers<Name extends string>({ title, series, rows }: Given<Name>): ReactNode {
  return (
    <VisuallyHidden>
      <table aria-label={title}>
        <thead>
          <tr>
            <th scope="col">When</th>
            {series.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.from}>
              <th scope="row">{row.when}</th>
              {series.map(({ name }) => (
                <td key={name}>{Number(row[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
