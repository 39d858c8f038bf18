import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Enough time for what is in the terminal's buffer to arrive. */
const drainMs = 30

export type Terminal = {
  input: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown }
  output: NodeJS.WritableStream
}

/**
 * Asks the user and returns the line they type after the question; what they typed before it is dropped. If they end the input
 * instead, `ended` is called, which has to abort the signal.
 */
export async function askPerson(
  { input, output }: Terminal,
  question: string,
  signal: AbortSignal,
  ended: () => void,
): Promise<string> {
  await forgetTyped(input)
  // With `terminal: true` readline would handle Ctrl-C itself.
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
  // Else a line that the user has begun would stay in the buffer and become the beginning of the answer.
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
