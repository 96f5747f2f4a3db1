/**
 * Colours and measures of every mail. Ink and paper are not pure black and white, so that clients which invert colours
 * by themselves keep the contrast; clients that honour prefers-color-scheme get those of STYLE.
 */
export const THEME = {
  fontFamily: "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif",
  monoFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  page: '#f3f4f6',
  paper: '#fefefe',
  tint: '#f3f4f6',
  ink: '#1f2933',
  muted: '#5b6673',
  line: '#dfe3e8',
  link: '#1d4ed8',
  /** Distance from the edge of the card, in pixels. */
  side: 28,
} as const;

/** Clients that drop a style sheet show the light colours, which are inline. */
export const STYLE = `
.ink img { font-family: sans-serif; }
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  body, body > div { background: #0f1216 !important; background-color: #0f1216 !important; }
  .card, .card > table { background: #1b1f26 !important; background-color: #1b1f26 !important; }
  .ink div, .ink td, .ink th, .ink blockquote, .brand, .brand a { color: #e7eaee !important; }
  .muted div, .muted th, .muted a, .ink .muted { color: #a3adb9 !important; }
  .ink a { color: #8fb4ff !important; }
  .code span { background: #2a303a !important; color: #f4f6f8 !important; }
  .line p, .line td, .line th, .line blockquote { border-color: #3a424d !important; }
}
@media only screen and (max-width: 479px) {
  .cells td, .cells th { min-width: 74px; padding: 8px 4px 8px 0 !important; font-size: 14px !important; overflow-wrap: anywhere !important; word-break: break-word !important; }
  .cells th { font-size: 12px !important; }
  .cells td:last-child, .cells th:last-child { padding-right: 0 !important; }
  .many td, .many th { min-width: 0; padding-right: 3px !important; font-size: 11px !important; }
}`;

/** Keeps clients from showing the beginning of the mail after a short preheader. */
export const PREHEADER_PADDING = '&#847;&zwnj;&nbsp;'.repeat(60);
