/** Whether a JSON value is about so large, at least. Looks at no more of it than it has to, however large it is. */
export function isLargerThan(value: unknown, characters: number): boolean {
  let left = characters;
  const count = (part: unknown): void => {
    left -= typeof part === 'string' ? part.length + 2 : 2;
    if (typeof part !== 'object' || part === null) return;
    if (Array.isArray(part)) for (let index = 0; index < part.length && left >= 0; index++) count(part[index]);
    else
      for (const name in part) {
        if (left < 0) return;
        left -= name.length + 4;
        count((part as Record<string, unknown>)[name]);
      }
  };
  count(value);
  return left < 0;
}
