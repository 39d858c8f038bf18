/**
 * Replaces direction controls, which could make a command look like another one than the one that is copied. The
 * length of the text stays the same.
 */
export const replaceBidiControls = (text: string) =>
  text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
