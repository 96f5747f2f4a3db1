/** Which numbers the last pass that the database knows of may have, as far as the workflow can tell. */
export interface KnownPasses {
  /** The last one whose end the workflow knows of. */
  readonly ended: number;
  /** The last one that the workflow has begun. */
  readonly begun: number;
}

/** Input of reconcile: of the run before, when it was continued as new. */
export interface ReconcileInput {
  readonly known?: KnownPasses;
}

/** What one pass of reconcile came to. */
export interface Reconciled {
  /** Rows whose workflow had closed without them. */
  readonly settled: number;
  /** Rows whose workflow did not exist. */
  readonly started: number;
  /** Rows that could not be compared now. */
  readonly failed: number;
}

export interface Pass extends Reconciled {
  /** Its number. */
  readonly pass: number;
  /** One of the databases was restored to an earlier state, or may have been, so every open workflow was asked to read its row again. */
  readonly isAfterRestore: boolean;
}
