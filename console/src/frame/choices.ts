/** One of a few values to choose from. */
export interface Choice<T extends string = string> {
  readonly value: T;
  readonly label: string;
}

/**
 * Each value of an enumeration with its label, in this order. Labels are a record keyed by the API's own type, so that a value which is new there fails
 * the type check here.
 */
export function choicesOf<T extends string>(labels: Readonly<Record<T, string>>): Choice<T>[] {
  return keysOf(labels).map((value) => ({ value, label: labels[value] }));
}

/** The values of an enumeration, in the order of their record. */
export function keysOf<T extends string>(record: Readonly<Record<T, unknown>>): T[] {
  return Object.keys(record) as T[];
}
