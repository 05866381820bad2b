import fc from 'fast-check';

/** Any character of Unicode. fast-check's own unit `binary` makes a table of all of them first, which takes each process more than a second. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
