import { escapeHtml } from '../../domain/templates/escape.ts';
import type { RenderedPage } from './markdown.ts';

export interface ListedPage {
  readonly name: string;
  readonly title: string;
}

export interface ListedGroup {
  readonly title: string;
  readonly pages: readonly ListedPage[];
}

/** The bar above every page of the documentation. `base`: the way to /docs from the page; `here`: which of the two it is. */
export function bar(base: string, here: 'guides' | 'reference'): string {
  const link = (to: string, text: string, current: boolean): string =>
    `<a href="${to}"${current ? ' aria-current="true"' : ''}>${text}</a>`;
  return `<header class="bar">
<a class="name" href="${base}/quick-start"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M3 6.5 12 13l9-6.5v11a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17.5z"/><path d="M4.2 5h15.6L12 10.7z"/></svg>Everpost</a>
<nav aria-label="Documentation">${link(`${base}/quick-start`, 'Guides', here === 'guides')}${link(base, 'API reference', here === 'reference')}</nav>
</header>`;
}

/** Where a page is. */
export interface Place {
  /** As the list has it; undefined of a page that is not there. */
  readonly name?: string;
  /** The way to the folder of the pages; '' when omitted. */
  readonly folder?: string;
}

/** Addresses are relative, so that the page works below a proxy's prefix too. */
export function layout({ name, folder = '' }: Place, page: RenderedPage, groups: readonly ListedGroup[]): string {
  const list = pageList(name, folder, groups);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Everpost</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}bar.css">
<link rel="stylesheet" href="${folder}guide.css">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
${bar(`${folder}../docs`, 'guides')}
<details class="menu"><summary>${escapeHtml(page.title)}</summary>${list}</details>
<div class="frame">
<div class="side">${list}</div>
<main id="content">
<article>
${page.html}</article>
${name === undefined ? '' : neighbours(name, groups)}
</main>
${sectionList(page)}
</div>
<script src="${folder}guide.js"></script>
</body>
</html>
`;
}

function pageList(here: string | undefined, folder: string, groups: readonly ListedGroup[]): string {
  const items = groups.map(({ title, pages }) => {
    const links = pages.map(
      ({ name, title: text }) =>
        `<li><a href="${folder}${name}"${name === here ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`,
    );
    return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`;
  });
  return `<nav aria-label="Pages">${items.join('')}<h2>Reference</h2><ul><li><a href="${folder}../docs">API reference</a></li><li><a href="${folder}../api/v1/openapi.json">OpenAPI 3.1</a></li></ul></nav>`;
}

function sectionList({ sections }: RenderedPage): string {
  if (sections.length < 2) return '<div></div>';
  const links = sections.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`);
  return `<nav class="sections" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`;
}

/** The pages before and after, in the order of the list. */
function neighbours(here: string, groups: readonly ListedGroup[]): string {
  const pages = groups.flatMap((group) => group.pages);
  const at = pages.findIndex(({ name }) => name === here);
  const link = (page: ListedPage | undefined, rel: string, label: string): string =>
    page ? `<a rel="${rel}" href="${page.name}"><span>${label}</span>${escapeHtml(page.title)}</a>` : '<i></i>';
  return `<nav class="neighbours" aria-label="Before and after">${link(pages[at - 1], 'prev', 'Before')}${link(pages[at + 1], 'next', 'Next')}</nav>`;
}
