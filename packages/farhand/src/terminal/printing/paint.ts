import { styleText } from 'node:util'

/** Functions that colour text for a terminal, or return it unchanged if there is no colour. */
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
