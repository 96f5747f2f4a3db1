/** How a value reads in a mail: nothing for null, the members of an array one after the other, an object as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('');
  return Object.getPrototypeOf(value) === Object.prototype ? JSON.stringify(value) : String(value);
}
