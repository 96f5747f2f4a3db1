export interface PageGroup {
  readonly title: string;
  /** Names of files in docs/, without the ending, in the order of reading. */
  readonly pages: readonly string[];
}

/** The pages of docs/ as the list beside them shows them. A page that is missing here is not served. */
export const PAGE_GROUPS: readonly PageGroup[] = [
  { title: 'Start', pages: ['quick-start', 'console', 'testing', 'moving', 'going-live'] },
  {
    title: 'Build',
    pages: [
      'clients',
      'content-as-code',
      'sending',
      'domains',
      'smtp',
      'bounces',
      'files',
      'contacts',
      'templates',
      'sequences',
      'webhooks',
      'mcp',
      'recipes',
    ],
  },
  { title: 'Rely on', pages: ['errors', 'idempotency', 'limits', 'guarantees'] },
  {
    title: 'Operating',
    pages: ['settings', 'providers', 'receivers', 'operations', 'logs', 'temporal-web', 'metrics', 'scale', 'templates-dir'],
  },
];

export const PAGE_NAMES: readonly string[] = PAGE_GROUPS.flatMap(({ pages }) => pages);
