export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** With the one that is set, which there may not be any more. */
export function withUnknown(choices: readonly Choice[] | undefined, value: string): Choice[] {
  const known = choices ?? [];
  const isKnown = value === '' || known.some((one) => one.value === value);
  return isKnown ? [...known] : [...known, { value, label: choices ? `${value} (does not exist)` : value }];
}
