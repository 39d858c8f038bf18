import { wrapWords } from '../../terminal/printing/wrap-words.ts'

/** The help text after the options: prose is wrapped to the window, examples stay as they are. */
export function helpProse(text: string, columns: number): string {
  const lines: string[] = []
  let isProse = false
  for (const line of text.split('\n')) {
    const goesOn = /^\S/.test(line)
    if (isProse && goesOn) lines[lines.length - 1] += ` ${line}`
    else lines.push(line)
    isProse = goesOn
  }
  return lines.map((line) => (/^\S/.test(line) ? wrapWords(line, columns) : line)).join('\n')
}
