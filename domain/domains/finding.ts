/** Whether DNS has a record as it is wanted. `wrong`: something else stands there. */
export type RecordState = 'found' | 'missing' | 'wrong';

export interface Judgement {
  readonly state: RecordState;
  /** For people, what is wrong and what to do; undefined when nothing is. */
  readonly problem?: string;
}

/** What a check found of a record, and when. */
export interface Finding extends Partial<Judgement> {
  /** What stood there. */
  readonly found: readonly string[];
  /** When DNS answered last, ISO 8601. */
  readonly checkedAt?: string;
  /** Why DNS could not be asked the last time; the rest is what it said before. */
  readonly unavailable?: string;
}

/** By the `key` of the record. */
export type Findings = Readonly<Record<string, Finding>>;

/** What the record with this key is for, like `dkim` of `dkim:ep-1`. */
export function purposeOf(key: string): string {
  return key.split(':', 1)[0]!;
}
