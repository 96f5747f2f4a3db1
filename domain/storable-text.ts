/** PostgreSQL holds neither NUL nor half a surrogate pair. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
