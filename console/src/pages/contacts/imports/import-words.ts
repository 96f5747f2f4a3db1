import type { Schemas } from '../../../api/client.ts';
import type { Import } from './import-queries.ts';

const REASONS: Readonly<Record<Schemas['RowRefusal'], string>> = {
  email_missing: 'without an address',
  email_invalid: 'with an address that cannot be right',
  invalid_value: 'with a value that its field does not take',
  not_utf8: 'not in UTF-8',
  too_many_cells: 'with more cells than columns',
  too_many_tags: 'with too many tags',
  attributes_too_large: 'with too many or too large attributes',
};

/** How many rows were refused for each reason, like `2 without an address, 1 not in UTF-8`. */
export function refusedWords({ reasons }: Pick<Import, 'reasons'>): string {
  return Object.entries(reasons)
    .map(([reason, count]) => `${(count ?? 0).toLocaleString('en')} ${REASONS[reason as keyof typeof REASONS] ?? reason}`)
    .join(', ');
}

const KB = 1024;

/** Of a file. */
export function sizeWords(bytes: number): string {
  if (bytes < KB) return `${Math.round(bytes)} bytes`;
  return bytes < KB * KB ? `${Math.round(bytes / KB)} KB` : `${(bytes / KB / KB).toFixed(1)} MB`;
}

/** How much of the file is done, in percent. */
export function doneOf({ status, read, size }: Pick<Import, 'status' | 'read' | 'size'>): number {
  if (status === 'completed') return 100;
  return size > 0 ? Math.min(100, (100 * read) / size) : 0;
}
