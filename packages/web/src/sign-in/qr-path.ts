/** The dark squares of a QR code as one SVG path; each run of squares in a row is one rectangle. */
export function qrPath(rows: readonly (readonly boolean[])[]): string {
  const pieces: string[] = []
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      if (!row[x]) continue
      const from = x
      while (row[x + 1]) x += 1
      const width = x + 1 - from
      pieces.push(`M${from} ${y}h${width}v1h-${width}z`)
    }
  })
  return pieces.join('')
}
