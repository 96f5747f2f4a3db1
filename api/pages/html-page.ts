import { sha256 } from '../../domain/projects/crypto.ts';
import { brandColor, inkOn } from '../../domain/templates/colors.ts';
import { escapeHtml } from '../../domain/templates/escape.ts';
import { pageHeaders } from '../page-headers.ts';
import { Answer } from '../route.ts';
import { type Language, languageFor } from './page-texts.ts';

export interface PageBrand {
  readonly name: string;
  readonly color: string | null;
}

/** Something that is on or off, and is turned by posting an empty form. */
export interface PageSwitch {
  readonly name: string;
  /** "" where there is nothing to say. */
  readonly description: string;
  readonly isOn: boolean;
  /** What stands on it: whether it is on. */
  readonly state: string;
  /** As a button's. */
  readonly action: string;
}

/** The path below which the API is, also behind a proxy that puts one before it. */
export function apiPath(publicUrl: string): string {
  return `${new URL(publicUrl).pathname.replace(/\/$/, '')}/api/v1`;
}

export interface PageContent {
  readonly language: Language;
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** One button, which posts an empty form. `action`: a path and query without characters that HTML would need escaped. */
  readonly button?: { readonly label: string; readonly action: string; readonly isQuiet?: boolean };
  /** Above the button. */
  readonly switches?: readonly PageSwitch[];
  /** undefined: the page of nobody in particular. */
  readonly brand?: PageBrand;
}

/** A page for people: docs/contract/unsubscribe.md 8. Without scripts, without anything from elsewhere, never kept and never found by a search. */
export function page(status: number, content: PageContent): Answer {
  const { language, title, paragraphs, switches = [], button, brand } = content;
  const style = styleOf(brand);
  const html = `<!doctype html>
<html lang="${language.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(brand ? `${title} · ${brand.name}` : title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${brand ? `<p class="brand">${escapeHtml(brand.name)}</p>\n` : ''}<h1>${escapeHtml(title)}</h1>
${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
${switches.map(switchHtml).join('')}${button ? `<form method="post" action="${button.action}"><button type="submit"${button.isQuiet ? ' class="quiet"' : ''}>${escapeHtml(button.label)}</button></form>\n` : ''}</main>
</body>
</html>
`;
  return new Answer(status, html, {
    ...pageHeaders([
      `style-src 'sha256-${sha256(style).toString('base64')}'`,
      button || switches.length > 0 ? "form-action 'self'" : "form-action 'none'",
    ]),
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
  });
}

/** The name and the description name the switch for those who do not see them beside it. */
function switchHtml({ name, description, isOn, state, action }: PageSwitch, index: number): string {
  const described = description ? `<small id="d${index}">${escapeHtml(description)}</small>` : '';
  const labels = `aria-labelledby="n${index}"${description ? ` aria-describedby="d${index}"` : ''}`;
  return `<form class="row" method="post" action="${action}"><span><b id="n${index}">${escapeHtml(name)}</b>${described}</span><button type="submit" role="switch" aria-checked="${isOn}" ${labels}${isOn ? '' : ' class="quiet"'}>${escapeHtml(state)}</button></form>\n`;
}

/** The same page for a cut-off link, a forged one and one for nobody, so that it tells nothing. */
export function badLinkPage(): Answer {
  const language = languageFor(undefined);
  return page(400, { language, title: language.text('badLinkTitle'), paragraphs: [language.text('badLinkText')] });
}

/** A button as tall as a thumb, lines that break anywhere: an address may be longer than a phone is wide. In the dark the colours of mails. */
function styleOf(brand: PageBrand | undefined): string {
  const color = brandColor(brand?.color);
  return [
    ':root{color-scheme:light dark}',
    'body{margin:0;background:#f4f5f7;color:#1f2937;font:17px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}',
    `main{box-sizing:border-box;max-width:30rem;margin:0 auto;padding:1.75rem 1.25rem;background:#fff;border-top:6px solid ${color};overflow-wrap:anywhere}`,
    '@media(min-width:34rem){main{margin-top:4rem;padding:2.5rem;border-radius:0 0 .75rem .75rem}}',
    '.brand{margin:0 0 1.5rem;font-weight:600;color:#4b5563}',
    'h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25;text-wrap:balance}',
    'p{margin:0 0 1rem}',
    'form{margin:1.5rem 0 0}',
    `button{box-sizing:border-box;width:100%;min-height:3rem;padding:.75rem 1rem;border:1px solid ${color};border-radius:.5rem;background:${color};color:${inkOn(brand?.color)};font:inherit;font-weight:600;cursor:pointer}`,
    '.row{display:flex;gap:1rem;align-items:center;justify-content:space-between;margin:0;padding:.75rem 0;border-top:1px solid #d1d5db}',
    '.row small{display:block;font-size:.875rem;color:#4b5563}.row button{width:auto;min-width:4.5rem}',
    'button.quiet{background:#fff;color:#1f2937;border-color:#6b7280}',
    'button:focus-visible{outline:3px solid #111827;outline-offset:2px}',
    '@media(prefers-color-scheme:dark){body{background:#0f1216;color:#e7eaee}main{background:#1b1f26}.brand,.row small{color:#a3adb9}.row{border-color:#3b424d}' +
      'button{border-color:#6b7280}button.quiet{background:#1b1f26;color:#e7eaee}button:focus-visible{outline-color:#e7eaee}}',
  ].join('');
}
