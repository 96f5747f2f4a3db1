/** What changes of a contact's status or consent come by. */
export const CONSENT_CAUSES = [
  'api_call',
  'mail_link',
  'complaint',
  'bounce',
  'suppression',
  'sequence',
  'confirmation',
  'import',
] as const;

/** By what a contact's status or consent changed, and which one it was. */
export interface ConsentCause {
  readonly cause: (typeof CONSENT_CAUSES)[number];
  /**
   * `api_call`, `suppression`: the API key. `mail_link`, `complaint`, `bounce`: the send. `sequence`: the enrollment. `confirmation`: the confirmation. `import`: the import. null: not known, like
   * the mail of a link that does not tell it.
   */
  readonly id: string | null;
  /** Of the person's own act on a page: the request that shows it. */
  readonly person?: { readonly ip: string | undefined; readonly userAgent: string | undefined } | undefined;
}

/** A consent record as the history keeps it. */
export interface ConsentRecord {
  readonly source: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  /** ISO 8601. */
  readonly at: string | null;
}
