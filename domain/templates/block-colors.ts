import type { Issue } from '../errors.ts';
import { brandColor, contrast, inkOn, readableOnDark } from './colors.ts';
import { type Block, type Content, isMjml } from './content.ts';
import { DARK, THEME } from './theme.ts';

/** CSS colors, or Liquid that comes out as one. */
interface Colors {
  readonly color: string;
  /** Absent: that of the mail. */
  readonly background?: string;
}

export interface BlockColors extends Colors {
  /** For clients that show mails dark; absent: the same. */
  readonly dark?: Colors & {
    /** The class of what has them. */
    readonly name: string;
  };
}

type Named = { readonly color?: string | null | undefined; readonly background?: string | null | undefined };

const PRIMARY = '{{ brand.color | brand_color }}';
const LIGHT: Readonly<Record<string, string>> = { primary: PRIMARY, text: THEME.ink, muted: THEME.muted, background: THEME.tint };
const ON_DARK: Readonly<Record<string, string>> = { primary: '{{ brand.color | on_dark }}', text: DARK.ink, muted: DARK.muted };

/** The colors that a text asks for; undefined: those of the mail. Whatever has a background of its own keeps its colors in dark mails. */
export function colorsOf({ color, background }: Named): BlockColors | undefined {
  if (!color && !background) return undefined;
  const light = { color: color ? lightOf(color) : inkFor(background as string), ...(background && { background: lightOf(background) }) };
  if (background && background !== 'background') return light;
  const onDark = color ? (ON_DARK[color] ?? readableOnDark(lightOf(color))) : DARK.ink;
  const name = ['tone', color ?? 'auto', background ?? 'none'].join('-').replaceAll('#', '').toLowerCase();
  return { ...light, dark: { name, color: onDark, ...(background && { background: DARK.tint }) } };
}

/** Those of a button, the same in every mail. */
export function buttonColors({ color, background }: Named): Required<Colors> {
  return { color: color ? lightOf(color) : inkFor(background ?? 'primary'), background: lightOf(background ?? 'primary') };
}

function lightOf(color: string): string {
  return LIGHT[color] ?? color;
}

function inkFor(background: string): string {
  if (background === 'primary') return '{{ brand.color | ink_on }}';
  return background === 'background' ? THEME.ink : inkOn(lightOf(background));
}

/** WCAG 2.2, 1.4.3; large is bold text from 18.66 pixels on. */
const LEAST_CONTRAST = { large: 3, other: 4.5 } as const;

/**
 * A warning for each text whose color can hardly be read on what is behind it, in mails of a brand of this color; nothing of colors that the block
 * leaves to the mail.
 */
export function contrastWarnings(content: Content, brandsColor: string | null, at = 'content'): Issue[] {
  if (isMjml(content)) return [];
  return content.blocks.flatMap((block, index) => warningsOf(block, brandColor(brandsColor), `${at}.blocks[${index}]`));
}

function warningsOf(block: Block, primary: string, path: string): Issue[] {
  if (block.type === 'columns') {
    const ofColumn = (blocks: readonly Block[], column: number): Issue[] =>
      blocks.flatMap((held, index) => warningsOf(held, primary, `${path}.columns[${column}].blocks[${index}]`));
    return block.columns.flatMap(({ blocks }, column) => ofColumn(blocks, column));
  }
  const { color, background } = block as Named;
  if (!color) return [];
  const inMail = (name: string): string => (name === 'primary' ? primary : lightOf(name));
  const behind = background ? inMail(background) : block.type === 'button' ? primary : THEME.paper;
  const isLarge = block.type === 'heading' && (block.level ?? 1) < 3;
  const least = isLarge ? LEAST_CONTRAST.large : LEAST_CONTRAST.other;
  const found = contrast(inMail(color), behind);
  if (found >= least) return [];
  // Rounded down, so that it never reads as enough.
  const shown = Math.floor(found * 10) / 10;
  return [{ path: `${path}.color`, message: `hard to read: its contrast to the background is ${shown} and should be at least ${least}` }];
}
