const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
/** Readable with white text, and still a link colour after a client turned the page dark. */
const DEFAULT_COLOR = '#2557d6';
const DARK_INK = '#111827';
const LIGHT_INK = '#ffffff';

/** The brand's colour as #rrggbb or #rgb; anything else, null included, becomes the default. */
export function brandColor(value: unknown): string {
  return typeof value === 'string' && HEX.test(value) ? value : DEFAULT_COLOR;
}

/** The text colour that is easier to read on this background: WCAG 2 relative luminance. */
export function inkOn(value: unknown): string {
  const hex = brandColor(value).slice(1);
  const pairs = hex.length === 3 ? [...hex].map((digit) => digit + digit) : [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4, 6)];
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => {
    const share = Number.parseInt(pair, 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= 3.5 ? LIGHT_INK : DARK_INK;
}
