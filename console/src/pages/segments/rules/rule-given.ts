/** What the editor of each kind of rule is given. */
export interface RuleGiven<T> {
  readonly rule: T;
  readonly onChange: (rule: T) => void;
  /** What is still to be filled in is marked. */
  readonly isAsked?: boolean;
  /** What the API found wrong with its field. */
  readonly fault?: string | undefined;
}
