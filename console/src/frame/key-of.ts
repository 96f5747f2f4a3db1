/** A key for programs made of a name for people: what both sequences and templates take, or '' when nothing of the name can be part of one. */
export function keyOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}
