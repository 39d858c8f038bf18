import type { Hub } from '@farhand/client/requests/hub'
import { post } from '@farhand/client/post/post'
import { Refusal } from '@farhand/client/requests/refusal'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import { sleep } from '@farhand/kit/sleep'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type FedLine, fedControl, fedMessage } from './input-line.ts'
import { GrowingFile, type GrownLine } from './tailed-file.ts'

export type FeedOptions = {
  /** With the token of somebody who may speak in the run. */
  hub: Hub
  at: RunAddress
  messages: string
  control: string
  /** Where it notes how far the files were read. */
  state: string
  /** A line that means nothing, or that the hub would not have, is passed over with a word. */
  onTrouble: (file: string, why: string) => void
  /** Files have changed in the workspace. Told again if it was interrupted right after this. */
  onChanged: (paths: readonly string[]) => void
  signal: AbortSignal
}

const lookEveryMs = 100

/**
 * Does the work, and posts what is appended to the two files meanwhile, each line once. When that cannot go on, the
 * work is told to stop and the reason is thrown.
 */
export async function whileFed<End>(
  options: FeedOptions,
  work: (signal: AbortSignal) => Promise<End>,
): Promise<End> {
  const over = new AbortController()
  const signal = AbortSignal.any([options.signal, over.signal])
  let failed: { why: unknown } | null = null
  const feed = async (file: string, meaning: (line: string) => FedLine) => {
    try {
      await feedFrom(file, meaning, { ...options, signal })
    } catch (why) {
      if (signal.aborted) return
      failed ??= { why }
      over.abort(why)
    }
  }
  const feeding = [feed(options.messages, fedMessage), feed(options.control, fedControl)]
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
  meaning: (line: string) => FedLine,
  options: FeedOptions,
): Promise<void> {
  const growing = new GrowingFile(file, options.state)
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
  { key }: GrownLine,
  event: Extract<FedLine, { event: unknown }>['event'],
  { hub, at, signal, onTrouble }: FeedOptions,
): Promise<'sent' | 'refused' | 'closed'> {
  try {
    await post(hub, at, event, { key, signal, patienceMs: Number.POSITIVE_INFINITY })
    return 'sent'
  } catch (error) {
    const why = error instanceof Unconfirmed ? error.cause : error
    if (!(why instanceof Refusal)) throw error
    if (why.code === 'run.closed') return 'closed'
    // Another line may be taken where this one was not; without the right to speak none will be.
    if (why.remedy !== 'fix-request') throw why
    onTrouble(file, why.message)
    return 'refused'
  }
}
