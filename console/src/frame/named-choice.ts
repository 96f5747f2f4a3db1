/** One of several that have a key and a name, to choose from: found by either. */
export function namedChoice({ key, name }: { readonly key: string; readonly name: string }): {
  readonly value: string;
  readonly label: string;
} {
  return { value: key, label: name === '' || name === key ? key : `${key}: ${name}` };
}
