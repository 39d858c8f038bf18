/** Shorter values are not searched for: they would be found in unrelated words. */
export const shortestSecret = 6
/** Each line of a multi-line key is a secret, too, if it is at least this long. */
const shortestLine = 16

/** All forms in which programs print a value: as it is, escaped, and encoded. */
export function secretForms(value: string): string[] {
  const trimmed = value.trim()
  const forms = new Set<string>()
  for (const one of [value, trimmed]) {
    const json = JSON.stringify(one).slice(1, -1)
    const all = [one, one.replace(/\r?\n/g, '\r\n'), json, JSON.stringify(json).slice(1, -1), ...escaped(one)]
    for (const form of all) forms.add(form)
  }
  for (const form of encoded(Buffer.from(trimmed))) forms.add(form)
  // Newlines may be escaped, in JSON and in .env files.
  const lines = trimmed.split(/\r?\n|(?:\\r)?\\n/)
  if (lines.length > 1)
    for (const line of lines) if (line.length >= shortestLine && !line.startsWith('-----')) forms.add(line)
  return [...forms].filter((form) => form.length >= shortestSecret)
}

function escaped(value: string): string[] {
  const whole = encodeURIComponent(value.toWellFormed())
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  const lower = whole.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  return [whole, lower, form]
}

function encoded(bytes: Buffer): string[] {
  const hex = bytes.toString('hex')
  const whole = bytes.toString('base64')
  const plain = [whole, whole.replace(/=+$/, ''), ...base64Cores(bytes)]
  const ofAddresses = plain.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [...plain, ...ofAddresses, hex, hex.toUpperCase()]
}

/** The base64 and hex letters of a value, to be found with anything between them: newlines, spaces, commas. */
export function spacedSecretForms(value: string): { kind: 'base64' | 'hex'; text: string }[] {
  const bytes = Buffer.from(value.trim())
  const base64 = base64Cores(bytes).map((text) => ({ kind: 'base64' as const, text }))
  const hex = [bytes, ...swapped(bytes)].map((one) => ({ kind: 'hex' as const, text: one.toString('hex') }))
  return [...base64, ...hex].filter(({ text }) => text.length >= shortestSecret)
}

/**
 * As `od -x` and `hexdump` print bytes: in words of two with the second byte first; the value may begin within a
 * word.
 */
function swapped(bytes: Buffer): Buffer[] {
  return [0, 1].flatMap((from) => {
    const pairs = bytes.subarray(from, bytes.length - ((bytes.length - from) % 2))
    return pairs.length >= shortestSecret ? [Buffer.from(pairs).swap16()] : []
  })
}

const base64Cores = (bytes: Buffer) => [0, 1, 2].map((before) => base64Core(bytes, before))

/** The part of the base64 text that is the same with any bytes before and after. */
function base64Core(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}
