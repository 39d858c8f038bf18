import type { QrCodeGenerateResult } from 'uqr'

// A phone finds the code only with a light border around it.
const frame = 2
const blackOnWhite = '\x1b[30;107m'
const asBefore = '\x1b[0m'

/**
 * A QR code as terminal lines, two rows per line. With colours it is always dark on light; without them the light
 * squares are drawn, because most terminals are dark.
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

/** The columns it needs: a phone cannot read a wrapped code. */
export const widthOfQr = (dark: QrCodeGenerateResult['data']): number => dark.length + 2 * frame

const signFor = (isUpper: boolean, isLower: boolean) =>
  isUpper ? (isLower ? '█' : '▀') : isLower ? '▄' : ' '
