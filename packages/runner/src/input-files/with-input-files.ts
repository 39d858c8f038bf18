import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import { sleep } from '@farhand/kit/sleep'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type InputLine, parseControlLine, parseMessageLine } from './input-line.ts'
import { TailedFile, type TailedLine } from './tailed-file.ts'

export type InputFilesOptions = {
  /** With the token of a user who may write to the run. */
  hub: Hub
  at: RunAddress
  messages: string
  control: string
  /** The folder for the saved positions. */
  state: string
  /** Called for a line that is invalid, or that the hub refused; it is skipped. */
  onTrouble: (file: string, why: string) => void
  /** Called when files have changed in the workspace; called again after an interruption right behind this. */
  onChanged: (paths: readonly string[]) => void
  signal: AbortSignal
}

const lookEveryMs = 100

/**
 * Runs `work` and meanwhile posts the lines appended to the two files, each once. If that fails, it aborts the work
 * and throws the reason.
 */
export async function withInputFiles<End>(
  options: InputFilesOptions,
  work: (signal: AbortSignal) => Promise<End>,
): Promise<End> {
  const over = new AbortController()
  const signal = AbortSignal.any([options.signal, over.signal])
  let failed: { why: unknown } | null = null
  const feed = async (file: string, meaning: (line: string) => InputLine) => {
    try {
      await feedFrom(file, meaning, { ...options, signal })
    } catch (why) {
      if (signal.aborted) return
      failed ??= { why }
      over.abort(why)
    }
  }
  const feeding = [feed(options.messages, parseMessageLine), feed(options.control, parseControlLine)]
  try {
    const end = await work(signal)
    if (failed) throw (failed as { why: unknown }).why
    return end
  } finally {
    over.abort()
    await Promise.all(feeding)
  }
}

/** Ends when the run is closed. */
async function feedFrom(
  file: string,
  meaning: (line: string) => InputLine,
  options: InputFilesOptions,
): Promise<void> {
  const growing = new TailedFile(file, options.state)
  for (;;) {
    const lines = await growing.read()
    for (const line of lines) {
      const meant = meaning(line.text)
      if ('trouble' in meant) options.onTrouble(file, meant.trouble)
      if ('changed' in meant) options.onChanged(meant.changed)
      if ('event' in meant && (await send(file, line, meant.event, options)) === 'closed') return
      growing.pass(line)
    }
    if (lines.length === 0) await sleep(lookEveryMs, { signal: options.signal })
  }
}

async function send(
  file: string,
  { key }: TailedLine,
  event: Extract<InputLine, { event: unknown }>['event'],
  { hub, at, signal, onTrouble }: InputFilesOptions,
): Promise<'sent' | 'refused' | 'closed'> {
  try {
    await post(hub, at, event, { key, signal, patienceMs: Number.POSITIVE_INFINITY })
    return 'sent'
  } catch (error) {
    const why = error instanceof Unconfirmed ? error.cause : error
    if (!(why instanceof Refusal)) throw error
    if (why.code === 'run.closed') return 'closed'
    // Another line may be accepted; without the right to write, none will be.
    if (why.remedy !== 'fix-request') throw why
    onTrouble(file, why.message)
    return 'refused'
  }
}
