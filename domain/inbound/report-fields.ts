/** Fields by their names in lower case; of one that is there twice the first. */
export type Fields = ReadonlyMap<string, string>;

const MOST_FIELDS = 200;

/** The fields of a header, to its empty line (RFC 5322 2.2), lines that were folded joined. What is no field is passed over. */
export function fieldsOf(text: string): Fields {
  const fields = new Map<string, string>();
  const [header = ''] = text.replace(/^\n+/, '').split(/\n[ \t]*\n/, 1);
  for (const line of header.replace(/\n[ \t]+/g, ' ').split('\n', MOST_FIELDS)) {
    const [, name, value] = /^([\w-]{1,80})[ \t]*:(.*)$/.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key && !fields.has(key)) fields.set(key, value!.trim());
  }
  return fields;
}

/** Groups of fields with empty lines between them, as reports have one for each recipient. */
export function fieldBlocks(text: string): Fields[] {
  return text.split(/\n[ \t]*\n/).map(fieldsOf);
}
