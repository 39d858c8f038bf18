import type { Span } from './styled-lines.ts'

const size = { letter: 8.4, line: 19, font: 14, margin: 18, bar: 34 }
const colors = { ground: '#21252b', bar: '#2c313a', text: '#d7dae0' }

/** A picture of a terminal with these lines, so many letters wide. */
export function terminalSvg(
  lines: readonly Span[][],
  { columns, title }: { columns: number; title: string },
): string {
  const width = Math.ceil(columns * size.letter + 2 * size.margin)
  const height = Math.ceil(lines.length * size.line + size.bar + 2 * size.margin)
  const rows = lines.map((spans, at) => row(spans, size.bar + size.margin + (at + 0.75) * size.line))
  const dots = ['#e06c75', '#e5c07b', '#98c379'].map(
    (color, at) => `<circle cx="${20 + at * 18}" cy="${size.bar / 2}" r="5.5" fill="${color}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="9" fill="${colors.ground}"/>`,
    `<path d="M0 ${size.bar}V9a9 9 0 0 1 9-9H${width - 9}a9 9 0 0 1 9 9v${size.bar - 9}z" fill="${colors.bar}"/>`,
    ...dots,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${size.font}" fill="${colors.text}">`,
    ...rows.filter((one) => one !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function row(spans: readonly Span[], y: number): string {
  let column = 0
  const texts = spans.map((span) => {
    const x = size.margin + column * size.letter
    column += [...span.text].length
    if (span.text.trim() === '') return ''
    // With its length set, the text stays in its columns whichever fonts the viewer's machine has.
    const length = ([...span.text].length * size.letter).toFixed(1)
    return `<tspan x="${x.toFixed(1)}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${looks(span)}>${inColumns(span.text)}</tspan>`
  })
  const text = texts.join('')
  return text === '' ? '' : `<text y="${y.toFixed(1)}">${text}</text>`
}

function looks({ bold, dim, italic, underline, color }: Span): string {
  return [
    color && ` fill="${color}"`,
    bold && ' font-weight="bold"',
    dim && ' opacity="0.62"',
    italic && ' font-style="italic"',
    underline && ' text-decoration="underline"',
  ]
    .filter(Boolean)
    .join('')
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => escapes[letter]!)

// Not every program that shows pictures keeps the others apart.
const inColumns = (text: string) => escaped(text).replaceAll(' ', '\u00a0')
