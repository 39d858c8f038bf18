/** What turns the letters after it around would show another command than the one that is copied. A text stays as long as it was. */
export const withoutTurns = (text: string) => text.replaceAll(/[\u202d\u202e]/g, '\ufffd')
