import { fixedText, type Piece, piecesOf } from './pieces.ts';

/** A source as one text in which marks stand for its Liquid, so that what reads the text cannot mistake a tag of Liquid for HTML. */
export interface MarkedSource {
  readonly text: string;
  /** Puts the Liquid back into a part of the text. */
  expand(part: string): string;
  /** The Liquid that a mark stands for. */
  liquidOf(mark: string): string;
}

/** No source has them. */
const [BEGIN, END] = ['\u0001', '\u0002'];
/** One mark. */
export const MARK = new RegExp(`${BEGIN}(\\d+)${END}`, 'g');

/** `pieces`: of a source that was cut already. Throws LiquidFault. */
export function markLiquid(source: string, pieces: readonly Piece[] = piecesOf(source)): MarkedSource {
  const liquid = (index: string): string => pieces[Number(index)]?.liquid ?? '';
  return {
    text: pieces.map(({ fixed }, index) => (fixed === undefined ? `${BEGIN}${index}${END}` : fixedText(fixed))).join(''),
    expand: (part) => part.replace(MARK, (_, index: string) => liquid(index)),
    liquidOf: (mark) => liquid(mark.slice(1, -1)),
  };
}

/** Whether a text has a mark in it. */
export function hasMark(text: string): boolean {
  return text.includes(BEGIN);
}

/** The marks of a text, in their order. */
export function marksIn(text: string): readonly string[] {
  return text.match(MARK) ?? [];
}
