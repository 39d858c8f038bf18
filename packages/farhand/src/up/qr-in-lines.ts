import type { QrCodeGenerateResult } from 'uqr'

// A phone needs a light frame around it to find it at all.
const frame = 2
const blackOnWhite = '\x1b[30;107m'
const asBefore = '\x1b[0m'

/**
 * A QR code as lines of a terminal, two rows in each. With colours it is dark on light wherever it is shown; without them
 * what is light is drawn, as most terminals are dark.
 */
export function qrInLines(dark: QrCodeGenerateResult['data'], color: boolean): string[] {
  const size = dark.length
  const isDark = (row: number, column: number) => dark[row]?.[column] === true
  const lines: string[] = []
  for (let row = -frame; row < size + frame; row += 2) {
    let line = ''
    for (let column = -frame; column < size + frame; column += 1)
      line += signFor(isDark(row, column) === color, isDark(row + 1, column) === color)
    lines.push(color ? `${blackOnWhite}${line}${asBefore}` : line)
  }
  return lines
}

/** How many columns it takes: broken over two lines no phone reads it. */
export const widthOfQr = (dark: QrCodeGenerateResult['data']): number => dark.length + 2 * frame

const signFor = (isUpper: boolean, isLower: boolean) =>
  isUpper ? (isLower ? '█' : '▀') : isLower ? '▄' : ' '
