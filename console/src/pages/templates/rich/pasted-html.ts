/**
 * What is pasted, without what the page's policy does not take: styles. Of these only whether letters are bold or slanted counts, which stays as
 * `data-weight` and `data-slant`: Word and Google Docs write `<b style="font-weight:normal">`.
 */
export function withoutStyles(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(style|script|title|xml)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<(?:meta|link)\b[^>]*>/gi, '')
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)/gi, (_, style: string) => said(style)))
    .replace(/&nbsp;|\u00a0/g, ' ');
}

function said(style: string): string {
  const weight = /(?<![\w-])font-weight\s*:\s*(\w+)/i.exec(style)?.[1];
  const slant = /(?<![\w-])font-style\s*:\s*(\w+)/i.exec(style)?.[1];
  const isBold = weight !== undefined && (/^bold/i.test(weight) || Number(weight) >= 600);
  return [
    weight === undefined ? '' : ` data-weight="${isBold ? 'bold' : 'normal'}"`,
    slant === undefined ? '' : ` data-slant="${/^(?:italic|oblique)/i.test(slant) ? 'italic' : 'normal'}"`,
  ].join('');
}
