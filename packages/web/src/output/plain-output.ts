import { trimEndChars } from '@farhand/kit/trim-end-chars'

// Put together from their numbers, as none of them can be seen in a source.
const letter = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`
const [bell, esc] = [letter(7), letter(27)]
const escapes = new RegExp(
  `${esc}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${esc}]*(?:${bell}|${esc}\\\\)|[@-Z\\\\-_])`,
  'g',
)
/** Neither a tab nor the end of a line; and what would turn the letters after it around, up to the end of the line. */
const controls = new RegExp(
  `[${letter(0)}-${letter(8)}${letter(11)}${letter(12)}${letter(14)}-${letter(31)}${letter(127)}${letter(0x202a)}-${letter(0x202e)}${letter(0x2066)}-${letter(0x2069)}]`,
  'g',
)

/** What a program wrote to a terminal, as it would stand there at the end: no colours, lines overwritten as it did. */
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
