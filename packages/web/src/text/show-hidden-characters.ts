/** What turns the order of letters around, or is not seen at all; joiners belong to letters of some scripts. */
const hidden = /(?!\t)[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/** A text in which those letters are written out that make a reader see something else than what is there. */
export const showHiddenCharacters = (text: string): string =>
  text.replace(hidden, (letter) => `‹U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`)
