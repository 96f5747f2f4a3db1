/** How a rule of a new condition begins. */
export const FIRST_RULE = { field: 'attributes.', op: 'eq', value: '' } as const;

/** What to ask for where a setting is still as the `firstConfig` of a kind has it, by the names with which its path ends. */
const ASKED: readonly { readonly at: string; readonly words: string }[] = [
  { at: 'template', words: 'Choose a template' },
  { at: 'event.type', words: 'Choose an event' },
  { at: 'field', words: 'Which field?' },
  { at: 'sequenceKey', words: 'Choose a sequence' },
  { at: 'url', words: 'Which address?' },
];
const UNFILLED: readonly unknown[] = ['', 'attributes.', 'event.', 'https://'];

/** Whoever makes a step is asked for the setting; undefined: it is filled, or nobody begins with it empty. */
export function questionFor(path: string, value: unknown): string | undefined {
  return UNFILLED.includes(value) ? ASKED.find(({ at }) => `.${path}`.endsWith(`.${at}`))?.words : undefined;
}

/** What stands around settings that are asked for. */
const AROUND: readonly string[] = ['event', 'match', 'condition', 'when', 'branches', 'all', 'any', 'not'];
/** Where a config has what is asked for; elsewhere, as in the data of a mail, the same names mean whatever the project likes. */
const WALKED: ReadonlySet<string> = new Set([...AROUND, ...ASKED.flatMap(({ at }) => at.split('.'))]);

/** The settings of a config, or of a part of it that stands at `path`, that are asked for. */
export function unfilledSettings(value: unknown, path = ''): { readonly path: string; readonly words: string }[] {
  if (typeof value === 'string') {
    const words = questionFor(path, value);
    return words === undefined ? [] : [{ path, words }];
  }
  if (Array.isArray(value)) return value.flatMap((one, index) => unfilledSettings(one, `${path}[${index}]`));
  return Object.entries(value ?? {}).flatMap(([name, one]) =>
    WALKED.has(name) ? unfilledSettings(one, path === '' ? name : `${path}.${name}`) : [],
  );
}
