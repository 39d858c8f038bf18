const megabyte = 1024 * 1024

const filled = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** Texts that make regular expressions slow: many repetitions, then an end that does not match. Each is one line, a megabyte by default. */
export const longLines = (length = megabyte): string[] => [
  ...repeated.map((piece) => `${filled(piece, length)}!x`),
  ...mixed.map(([begin, piece, end]) => begin + filled(piece, length) + end),
]

const repeated = ['a', ' ', '\r', '`', '**a ', '[a](', 'http://', 'sk-', 'token=', 'e\u0301', '\u001b]0;']

const mixed: readonly (readonly [string, string, string])[] = [
  ['```', ' ', '`'],
  ['```', '\t', 'a`'],
  ['~~~', ' ', '\r`'],
  ['# ', ' ', '\ra'],
  ['- ', ' ', '\ra'],
  ['1. ', ' ', '\u2028a'],
  ['> ', ' ', '\ra'],
  ['---', ' ', 'x'],
  ['- -', ' -', 'x'],
  ['a', '\r', 'b'],
  ['x ', ' ', ''],
  ['"', '\\"', ''],
  ['token = "', 'a', ''],
  ['https://', 'a', ':'],
]
