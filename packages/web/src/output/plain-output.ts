import { trimEndChars } from '@farhand/kit/trim-end-chars'

// Made from character codes, because these characters are invisible in source code.
const letter = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`
const [bell, esc] = [letter(7), letter(27)]
const escapes = new RegExp(
  `${esc}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${esc}]*(?:${bell}|${esc}\\\\)|[@-Z\\\\-_])`,
  'g',
)
/** Control characters except tab and line feed, and direction controls. */
const controls = new RegExp(
  `[${letter(0)}-${letter(8)}${letter(11)}${letter(12)}${letter(14)}-${letter(31)}${letter(127)}${letter(0x202a)}-${letter(0x202e)}${letter(0x2066)}-${letter(0x2069)}]`,
  'g',
)

/** Terminal output as plain text: without escape sequences, and with overwritten lines as they ended. */
export function plainOutput(text: string): string {
  const plain = text.includes('\u001b') ? text.replace(escapes, '') : text
  const lines = plain.includes('\r')
    ? plain
        .split('\n')
        .map((line, at, all) => {
          const bare = trimEndChars(line, '\r')
          return (at === all.length - 1 ? line : bare).slice(bare.lastIndexOf('\r') + 1)
        })
        .join('\n')
    : plain
  return lines.replace(controls, '')
}
