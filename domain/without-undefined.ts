/** Only the fields that are given; null is given. */
export function withoutUndefined<Fields extends object>(fields: Fields): { [name in keyof Fields]?: Exclude<Fields[name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof withoutUndefined<Fields>
  >;
}
