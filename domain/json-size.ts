/** Whether a JSON value is about so large, at least. Looks at no more of it than it has to, however large it is. */
export function isLargerThan(value: unknown, characters: number): boolean {
  return excessOf(value, { characters, levels: Number.POSITIVE_INFINITY }) !== undefined;
}

/** What is too much about a JSON value, if anything: found by the way, so it is looked at no further. */
export function excessOf(
  value: unknown,
  { characters, levels }: { readonly characters: number; readonly levels: number },
): 'size' | 'depth' | undefined {
  let left = characters;
  const visit = (part: unknown, level: number): 'size' | 'depth' | undefined => {
    left -= typeof part === 'string' ? part.length + 2 : 2;
    if (left < 0) return 'size';
    if (typeof part !== 'object' || part === null) return undefined;
    if (level === levels) return 'depth';
    if (Array.isArray(part)) {
      for (const item of part) {
        const excess = visit(item, level + 1);
        if (excess) return excess;
      }
      return undefined;
    }
    for (const name in part) {
      left -= name.length + 4;
      if (left < 0) return 'size';
      const excess = visit((part as Record<string, unknown>)[name], level + 1);
      if (excess) return excess;
    }
    return undefined;
  };
  return visit(value, 0);
}
