const setting =
  /\.(env|ini|ya?ml|toml|properties|cfg|conf|config|tfvars|sh|bash|zsh|fish)$|(^|\/)\.[^/.]+$|\.env\./i

const called =
  '(?:secret|token|passw(?:or)?d|passphrase|api_?key|access_?key|private_?key|auth_?key)' +
  '(?:_?(?:key|value|id|prod(?:uction)?|live))?'
const inQuotes = new RegExp(String.raw`${called}["']?\s*(?::|=>?|:=)\s*(["'\`])([^"'\`\s]{16,200})\1`, 'i')
const bare = new RegExp(
  String.raw`^\s*(?:export\s+|set\s+|-\s+)?["']?[\w.-]{0,60}?${called}["']?\s*[:=]\s*([^\s"'#]{16,200})\s*(?:#.*)?$`,
  'i',
)
// A cheap check first: most lines that mention a token contain no word this long.
const longWord = /[^\s"'`]{16}/

/**
 * Whether a line assigns a random-looking value to something named like a secret. It rather misses a secret than
 * reports a false one.
 */
export function isSecretAssignment(path: string, line: string): boolean {
  if (!longWord.test(line)) return false
  const quoted = inQuotes.exec(line)?.[2]
  if (quoted !== undefined) return looksRandom(quoted)
  // In source code an unquoted value is a name.
  const value = setting.test(path) ? bare.exec(line)?.[1] : undefined
  return value !== undefined && looksRandom(value)
}

const standIns =
  /example|sample|changeme|change-me|placeholder|your[-_]?|dummy|fake|test|xxxx|\*{3}|\.{3}|1234567|abcdef|[<>{}$()[\]]|:\/\/|redacted|foobar/i

/** Whether a value is unlikely to be a word, a path, a version or a placeholder. */
function looksRandom(value: string): boolean {
  if (standIns.test(value)) return false
  const isHex = /^[0-9a-f-]+$/i.test(value)
  if (isHex) return value.replaceAll('-', '').length >= 32 && bitsPerLetter(value) > 3
  if (!/\d/.test(value) || !/[a-z]/i.test(value)) return false
  // Names made of words, such as some.long.name2, two-words-and-3, snake_case_4, a/path/to/v1.
  if (value.split(/[._/-]/).every((part) => /^([A-Z]?[a-z]*|[A-Z]+)\d{0,3}$/.test(part))) return false
  return value.length >= 20 && bitsPerLetter(value) >= 3.7
}

/** The entropy per letter, in bits; about 4 for 20 random letters. */
function bitsPerLetter(value: string): number {
  const times = new Map<string, number>()
  for (const letter of value) times.set(letter, (times.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of times.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
