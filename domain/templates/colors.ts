import { LRUCache } from 'lru-cache';
import { DARK } from './theme.ts';

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
/** Readable with white text, and still a link colour after a client turned the page dark. */
const DEFAULT_COLOR = '#2557d6';
const DARK_INK = '#111827';
const LIGHT_INK = '#ffffff';
const COLORS_REMEMBERED = 200;

/** The brand's colour as #rrggbb or #rgb; anything else, null included, becomes the default. */
export function brandColor(value: unknown): string {
  return typeof value === 'string' && HEX.test(value) ? value : DEFAULT_COLOR;
}

/** The text colour that is easier to read on this background. */
export const inkOn = remembering((background) => (contrast(LIGHT_INK, background) >= 3.5 ? LIGHT_INK : DARK_INK));

/** How much two colours differ to the eye, as `#rrggbb` or `#rgb`: from 1, the same, to 21, black and white (WCAG 2). */
export function contrast(one: string, other: string): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (higher + 0.05) / (lower + 0.05);
}

/** WCAG 2 relative luminance, from 0 to 1. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channels(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(hex: string): number[] {
  const digits = hex.slice(1);
  const pairs =
    digits.length === 3 ? [...digits].map((digit) => digit + digit) : [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4, 6)];
  return pairs.map((pair) => Number.parseInt(pair, 16));
}

/** What normal text needs (WCAG 2). */
const READABLE = 4.5;
const STEPS = 20;

/** The colour, made lighter as far as it takes to be read as text of a mail that is shown dark. Anything else than a colour is the default one. */
export const readableOnDark = remembering((color) => {
  const from = channels(color);
  for (let step = 0; step < STEPS; step++) {
    const lighter = `#${from.map((channel) => hexOf(channel + ((255 - channel) * step) / STEPS)).join('')}`;
    // The lighter one of what is behind texts.
    if (contrast(lighter, DARK.tint) >= READABLE) return lighter;
  }
  return LIGHT_INK;
});

/** Mail after mail asks for what the brand's colour comes to. */
function remembering(colorFor: (color: string) => string): (value: unknown) => string {
  const known = new LRUCache<string, string>({ max: COLORS_REMEMBERED });
  return (value) => {
    const color = brandColor(value);
    const found = known.get(color);
    if (found !== undefined) return found;
    const made = colorFor(color);
    known.set(color, made);
    return made;
  };
}

function hexOf(channel: number): string {
  return Math.round(channel).toString(16).padStart(2, '0');
}
