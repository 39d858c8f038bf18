/** A word quoted for a shell. Invisible characters are escaped as bash, zsh and ksh read them. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (!/\p{Cc}|\p{Cf}/u.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`
  return `$'${word.replace(/[\\']/g, '\\$&').replace(/\p{Cc}|\p{Cf}/gu, spelledOut)}'`
}

// Every escape has all of its digits: a shorter one would take in the letters that follow it.
function spelledOut(char: string): string {
  const code = char.codePointAt(0)!
  return code < 0x80 ? `\\x${hex(code, 2)}` : code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
