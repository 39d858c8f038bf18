import { setTimeout as sleep } from 'node:timers/promises'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { Terminal } from './ask-person.ts'

/** Enough time for the rest of a pasted text to arrive. */
const drainMs = 50
const [ctrlC, ctrlD, backspace, rubout] = ['\u0003', '\u0004', '\b', '\u007f']

/**
 * Asks the user for a line without showing what they type; null if they end the input. Several pasted lines are Trouble:
 * otherwise the shell would run the lines after the first.
 */
export async function askHidden(
  { input, output }: Terminal,
  question: string,
  signal: AbortSignal,
  interrupt: () => void,
): Promise<string | null> {
  output.write(question)
  input.setRawMode?.(true)
  let typed = ''
  let end: 'line' | 'input' | null = null
  let finish = () => {}
  const ended = new Promise<void>((resolve) => {
    finish = resolve
  })
  const take = (keys: Buffer | string) => {
    for (const key of keys.toString()) {
      if (key === ctrlC) interrupt()
      if (key === ctrlC || (key === ctrlD && typed === '')) end ??= 'input'
      else if (end === null && (key === '\r' || key === '\n')) end = 'line'
      else if (key === backspace || key === rubout) typed = [...typed].slice(0, -1).join('')
      // A line end after the line belongs to the paste; anything else is another line.
      else if (end === null || (key !== '\r' && key !== '\n')) typed += end === null ? key : `\n${key}`
    }
    if (end !== null) finish()
  }
  input.on('data', take)
  input.once('end', finish)
  signal.addEventListener('abort', finish, { once: true })
  input.resume()
  if (signal.aborted) finish()
  try {
    await ended
    await sleep(drainMs)
  } finally {
    input.off('data', take)
    input.off('end', finish)
    signal.removeEventListener('abort', finish)
    input.setRawMode?.(false)
    input.pause()
    output.write('\n')
  }
  if (end !== 'line' || signal.aborted) return null
  if (typed.includes('\n'))
    throw new Trouble('usage', 'That was more than one line.', 'Pipe it in from a file instead: ... < file')
  return typed
}
