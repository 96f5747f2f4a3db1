import * as z from 'zod';
import { required, whole } from './field-kinds.ts';

/** Pixels above or below a block. */
const MOST_SPACE = 100;
const COLOR = /^(?:primary|text|muted|background|#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}))$/;
const A_COLOR = 'primary, text, muted, background, or a color like #1a73e8';

/** A color of the brand's mails by its name, which mails in dark colors have another one for, or one that is fixed. */
const Color = z
  .string({ error: required(A_COLOR) })
  .regex(COLOR, { error: `should be ${A_COLOR}` })
  .meta({
    id: 'TemplateColor',
    description: "`primary` (the brand's color), `text`, `muted` or `background` of its emails, or a color like `#1a73e8`",
  });

/** Of blocks that need not be as wide as their place. */
export const aligned = {
  align: z
    .enum(['left', 'center', 'right'], { error: required('left, center or right') })
    .nullish()
    .meta({ description: 'Where it stands' }),
};
/** Of blocks that are text. */
export const colored = {
  color: Color.nullish().meta({ description: 'Of its text' }),
  background: Color.nullish().meta({ description: 'Behind its text; the text is light or dark by it unless `color` says otherwise' }),
};
/** Of blocks that keep a distance to others. */
export const spaced = {
  spaceAbove: whole(0, MOST_SPACE, ' pixels').nullish().meta({ description: 'In pixels; what its kind has when omitted' }),
  spaceBelow: whole(0, MOST_SPACE, ' pixels').nullish().meta({ description: 'In pixels; what its kind has when omitted' }),
};
