import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Enough for what lies in a terminal's buffer to arrive. */
const drainMs = 30

export type Terminal = {
  input: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown }
  output: NodeJS.WritableStream
}

/**
 * Asks whoever is at the terminal and gives the line they type after that: what was typed before was no answer to this. Who ends
 * the input instead has answered nothing: `ended` is to have the signal come.
 */
export async function askPerson(
  { input, output }: Terminal,
  question: string,
  signal: AbortSignal,
  ended: () => void,
): Promise<string> {
  await forgetTyped(input)
  // Not as a terminal: then it would take Ctrl-C for itself.
  const lines = createInterface({ input, output, terminal: false })
  lines.on('close', ended)
  try {
    return await lines.question(question, { signal })
  } finally {
    lines.off('close', ended)
    lines.close()
  }
}

async function forgetTyped(input: Terminal['input']): Promise<void> {
  const forget = () => {}
  // Else a line that has been begun would stay where it is, and become the beginning of the answer.
  if (input.isTTY) input.setRawMode?.(true)
  input.on('data', forget)
  input.resume()
  try {
    await sleep(drainMs)
  } finally {
    input.off('data', forget)
    input.pause()
    if (input.isTTY) input.setRawMode?.(false)
  }
}
