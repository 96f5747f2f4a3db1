import fc from 'fast-check';

/**
 * Any character of Unicode, as a `unit` of fc.string: what the unit 'binary' gives, without its table of all characters, which takes each
 * process a second and a hundred megabytes. Those that mean something to a computer come more often than their number would have it.
 */
export const ANY_CHARACTER = fc
  .oneof(
    { withCrossShrink: true },
    { arbitrary: fc.integer({ min: 0, max: 0x7f }), weight: 2 },
    { arbitrary: fc.integer({ min: 0x80, max: 0xd7ff }), weight: 2 },
    // Between them are the surrogates.
    { arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }), weight: 16 },
  )
  .map(
    (codePoint) => String.fromCodePoint(codePoint),
    (character) => {
      const codePoint = typeof character === 'string' ? character.codePointAt(0) : undefined;
      if (codePoint === undefined || character !== String.fromCodePoint(codePoint)) throw new TypeError('not one character');
      return codePoint;
    },
  );
