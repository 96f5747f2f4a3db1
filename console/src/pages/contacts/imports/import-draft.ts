import type { ImportSettings } from './import-queries.ts';
import { type ColumnDraft, mappingOf } from './mapping-draft.ts';

/** How a file is to be imported, while that is chosen. */
export interface ImportDraft {
  readonly header: boolean;
  /** undefined: as it is found out. */
  readonly delimiter: string | undefined;
  readonly onExisting: 'update' | 'skip';
  readonly tags: readonly string[];
  readonly tagSeparator: string;
  /** The slug; null: the project's default. */
  readonly brand: string | null;
}

export const NEW_IMPORT: ImportDraft = {
  ...{ header: true, delimiter: undefined, onExisting: 'update', tags: [], tagSeparator: ',', brand: null },
};

/** How the columns of a file are read; nothing is said of what they are. */
export function readingOf({ header, delimiter }: Pick<ImportDraft, 'header' | 'delimiter'>): ImportSettings {
  return { header, ...(delimiter ? { delimiter } : {}) };
}

/** All of it as the API takes it. */
export function settingsOf(draft: ImportDraft, delimiter: string, columns: readonly ColumnDraft[], dryRun: boolean): ImportSettings {
  const { header, onExisting, tags, tagSeparator, brand } = draft;
  return {
    ...{ header, delimiter, onExisting, dryRun, tags: [...tags], tagSeparator },
    ...(brand ? { brand } : {}),
    mapping: mappingOf(columns),
  };
}
