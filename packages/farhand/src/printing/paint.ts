import { styleText } from 'node:util'

/** Colours for a terminal, and plain text for everything else. */
export function paint(color: boolean) {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    color ? styleText(format, text) : text
  return {
    bold: style('bold'),
    cyan: style('cyan'),
    dim: style('dim'),
    green: style('green'),
    link: style(['cyan', 'underline']),
    red: style('red'),
    yellow: style('yellow'),
  }
}
