/**
 * What turns the letters after it around would show another command than the one that is copied: it is shown as being there. A
 * text stays as long as it was.
 */
export const replaceBidiControls = (text: string) =>
  text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
