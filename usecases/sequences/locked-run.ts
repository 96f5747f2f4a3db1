import type { EntityManager } from '../../db/orm.ts';
import type { LockedEnrollment } from '../../db/queries/sequences/locked-enrollment.ts';
import type { SequenceGraph } from '../../domain/sequences/graph.ts';
import type { StepReport } from '../../workflows/contracts.ts';
import type { EnrollmentContext } from './enrollment-context.ts';

/** What a run is asked to go on with. */
export interface Advance {
  readonly enrollmentId: string;
  /** How the last command ended; none on the first call, and none when something may have changed meanwhile. */
  readonly report: StepReport | undefined;
  readonly now: Date;
  readonly newId: () => string;
  /** The first pause of a webhook node: docs/contract/sequences.md 23. */
  readonly firstRetrySeconds: number;
}

/** A locked enrollment where it stands. */
export interface StandingRun {
  readonly tx: EntityManager;
  readonly enrollment: LockedEnrollment;
  readonly graph: SequenceGraph;
  readonly advance: Advance;
  /** How the visit ended at which the run stands; it is written with the visits that follow. */
  readonly reported: StepReport | undefined;
}

/** With all that decides how it goes on. */
export interface LockedRun extends StandingRun {
  readonly context: EnrollmentContext;
}
