import { isSecretAssignment } from './secret-assignment.ts'
import { secretName } from './secret-name.ts'
import { tokenShapes } from './token-shapes.ts'

/** A possible secret and its line; line 0 means that the file's name is the sign. */
export type SecretSign = { line: number; kind: string }

const beginnings = new RegExp(
  tokenShapes
    .flatMap(({ starts }) => starts)
    .map((start) => start.replace(/[.]/g, '\\$&'))
    .join('|'),
)
const secretWord =
  /secret|token|passw|passphrase|api_?key|access_?key|private_?key|auth_?key|:\/\/[^\s/:@]{1,64}:/i

// Longer lines come from programs: only known token shapes are searched in them, as the rest takes long.
const longestLine = 2_000

/** The possible secrets in a file: at most one per line, without their text. */
export function secretsIn(path: string, text: string): SecretSign[] {
  const byName = secretName(path)
  const signs: SecretSign[] = byName ? [{ line: 0, kind: byName }] : []
  const hasBeginning = beginnings.test(text)
  if (!hasBeginning && !secretWord.test(text)) return signs
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const kind = kindOfLine({ path, lines, hasBeginning }, index)
    if (kind) signs.push({ line: index + 1, kind })
  }
  return signs
}

type Text = { path: string; lines: readonly string[]; hasBeginning: boolean }

function kindOfLine({ path, lines, hasBeginning }: Text, index: number): string | null {
  const line = lines[index]!
  if (hasBeginning && beginnings.test(line)) {
    // A private key begins on the line after its header.
    const both = line.includes('PRIVATE KEY')
      ? `${line}\n${lines[index + 1] ?? ''}\n${lines[index + 2] ?? ''}`
      : line
    const known = tokenShapes.find(({ shape }) => shape.test(both))
    if (known && !isStandIn(known.shape.exec(both)?.[0] ?? '')) return known.kind
  }
  if (line.length > longestLine || !secretWord.test(line)) return null
  if (line.includes('://') && hasPassword(line)) return 'an address with a password'
  return isSecretAssignment(path, line) ? 'a value that looks like a secret' : null
}

const isStandIn = (token: string) => /EXAMPLE|xxxxx|XXXXX|00000000|12345678|(.)\1{7}/.test(token)

const address =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`<>${}]{1,64}:([^\s/:@"'`<>${}*]{8,100})@([^\s/:@"'`]{1,200})/i
const localHost = /^(localhost|127\.|0\.0\.0\.0|\[?::1|host\b|.*\bexample\b)/i

function hasPassword(line: string): boolean {
  const [, password, host] = address.exec(line) ?? []
  if (!password || !host || localHost.test(host)) return false
  return (
    /\d/.test(password) && /[a-z]/i.test(password) && !/pass|secret|token|example|test|1234/i.test(password)
  )
}
