/** Shows every text in a JSON value, keys left out, and where it stands; the path is good during the visit alone. */
export function visitTexts(value: unknown, visit: (text: string, path: readonly PropertyKey[]) => void, path: PropertyKey[] = []): void {
  if (typeof value === 'string') visit(value, path);
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    path.push(Array.isArray(value) ? Number(key) : key);
    visitTexts(Reflect.get(value, key), visit, path);
    path.pop();
  }
}
