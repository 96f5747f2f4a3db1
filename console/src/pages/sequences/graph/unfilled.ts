/** How a rule of a new condition begins. */
export const FIRST_RULE = { field: 'attributes.', op: 'eq', value: '' } as const;

/** What to ask for where a setting is still as the `firstConfig` of a kind has it, by how its path ends. */
const ASKED: readonly { readonly at: RegExp; readonly words: string }[] = [
  { at: /(^|\.)template$/, words: 'Choose a template' },
  { at: /(^|\.)event\.type$/, words: 'Which event?' },
  { at: /(^|\.)field$/, words: 'Which field?' },
  { at: /^sequenceKey$/, words: 'Choose a sequence' },
  { at: /^url$/, words: 'Which address?' },
];
const UNFILLED: readonly unknown[] = ['', 'attributes.', 'event.', 'https://'];

/** Whoever makes a step is asked for the setting; undefined: it is filled, or nobody begins with it empty. */
export function questionFor(path: string, value: unknown): string | undefined {
  return UNFILLED.includes(value) ? ASKED.find(({ at }) => at.test(path))?.words : undefined;
}

/** Where a config has what ASKED is about; elsewhere, as in the data of a mail, the same names mean whatever the project likes. */
const WALKED: readonly string[] = [
  'template',
  'event',
  'type',
  'match',
  'condition',
  'when',
  'branches',
  'field',
  'all',
  'any',
  'not',
  'sequenceKey',
  'url',
];

/** The settings of a config, or of a part of it that stands at `path`, that are asked for. */
export function unfilledSettings(value: unknown, path = ''): { readonly path: string; readonly words: string }[] {
  if (typeof value === 'string') {
    const words = questionFor(path, value);
    return words === undefined ? [] : [{ path, words }];
  }
  if (Array.isArray(value)) return value.flatMap((one, index) => unfilledSettings(one, `${path}[${index}]`));
  return Object.entries(value ?? {}).flatMap(([name, one]) =>
    WALKED.includes(name) ? unfilledSettings(one, path === '' ? name : `${path}.${name}`) : [],
  );
}
