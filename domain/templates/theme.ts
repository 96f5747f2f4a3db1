/**
 * Colours and measures of every mail. Ink and paper are not pure black and white, so that clients which invert colours
 * by themselves keep the contrast; clients that honour prefers-color-scheme get those of styleFor().
 */
export const THEME = {
  fontFamily: "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
  monoFamily: "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace",
  page: '#f3f4f6',
  paper: '#fefefe',
  tint: '#f3f4f6',
  ink: '#1f2933',
  muted: '#5b6673',
  line: '#dfe3e8',
  link: '#1d4ed8',
  /** Distance from the edge of the card, in pixels. */
  side: 24,
  /** Between the card and the edge of a screen that is no wider. */
  margin: 8,
} as const;

/** The same of mails that are shown dark. */
export const DARK = {
  page: '#0f1216',
  paper: '#1b1f26',
  tint: '#2a303a',
  ink: '#e7eaee',
  muted: '#a3adb9',
  line: '#3a424d',
  link: '#8fb4ff',
} as const;

/** What only some mails show, and have rules for. */
export type Styled = 'heading' | 'table' | 'manyColumns' | 'quote' | 'code' | 'divider';

interface Rules {
  readonly always?: string;
  readonly dark?: readonly string[];
  readonly narrow?: string;
}

const DARK_MUTED = `color: ${DARK.muted} !important;`;
const DARK_LINE = `border-color: ${DARK.line} !important;`;
const RULES: Readonly<Record<Styled, Rules>> = {
  heading: {
    always: 'h1, h2, h3 { text-wrap: balance; }',
    narrow: 'h1 { font-size: 23px !important; }',
  },
  table: {
    dark: [
      `.ink table { color: ${DARK.ink} !important; }`,
      `.ink .muted { ${DARK_MUTED} }`,
      `.line td { ${DARK_LINE} }`,
      `.line th { ${DARK_LINE} }`,
    ],
    narrow: `
  .cells td, .cells th { min-width: 74px; padding: 8px 4px 8px 0 !important; font-size: 14px !important; overflow-wrap: anywhere !important; word-break: break-word !important; }
  .cells th { font-size: 12px !important; }
  .cells td:last-child, .cells th:last-child { padding-right: 0 !important; }`,
  },
  manyColumns: { narrow: '.many td, .many th { min-width: 0; padding-right: 3px !important; font-size: 11px !important; }' },
  quote: { dark: [`.ink .muted { ${DARK_MUTED} }`, `.line blockquote { ${DARK_LINE} }`] },
  code: { dark: [`.code span { background: ${DARK.tint} !important; color: #f4f6f8 !important; }`] },
  divider: { dark: [`.line td { ${DARK_LINE} }`] },
};

/**
 * The style sheet of a mail with these. Clients that drop it show the light colours, which are inline. `darkRules`: what else there is for those
 * that show it dark.
 */
export function styleFor(styled: ReadonlySet<Styled>, darkRules: Iterable<string> = []): string {
  const rules = [...styled].map((part) => RULES[part]);
  const dark = new Set(rules.flatMap((rule) => rule.dark ?? []));
  const always = rules.map((rule) => rule.always ?? '').join('');
  const narrow = rules.map((rule) => rule.narrow ?? '').join('');
  return `
img { line-height: 100%; }
${always}
@media (prefers-color-scheme: dark) {
  body, body > div { background: ${DARK.page} !important; }
  .card { background: ${DARK.paper} !important; }
  .ink, .brand { color: ${DARK.ink} !important; }
  .muted, .muted a { ${DARK_MUTED} }
  .ink a { color: ${DARK.link} !important; }
  ${[...dark, ...darkRules].join('')}
}
@media only screen and (max-width: 479px) {
${narrow} }`;
}

/** Characters that an inbox shows of a mail's beginning, at most. */
const PREVIEW_LENGTH = 160;

/**
 * Keeps clients from showing the beginning of the mail after a preheader of so many characters. The grapheme joiners keep them from taking
 * all the spaces for one.
 */
export function previewPadding(length: number): string {
  const lines = Math.ceil(Math.max(PREVIEW_LENGTH - length, 1) / 20);
  return `${'&#847;&nbsp;'.repeat(10)}\n`.repeat(lines);
}
