/** Direction controls and invisible characters, without joiners, which some scripts need. */
const hidden = /(?!\t)[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/** The text with such characters written out, like `‹U+202E›`, because they could make the user see something else. */
export const showHiddenCharacters = (text: string): string =>
  text.replace(hidden, (letter) => `‹U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`)
