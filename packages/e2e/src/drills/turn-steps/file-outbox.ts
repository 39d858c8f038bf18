import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outbox, Unsent } from '@farhand/client/post/outbox'

/** An outbox that survives the processes which write to it or send from it: two files that only grow. */
export class FileOutbox implements Outbox {
  readonly #written: string
  readonly #sent: string

  constructor(folder: string) {
    this.#written = join(folder, 'written.ndjson')
    this.#sent = join(folder, 'sent.ndjson')
  }

  async put(message: Unsent): Promise<void> {
    appendFileSync(this.#written, `${JSON.stringify(message)}\n`)
  }

  async list(run: Unsent['at']['run']): Promise<Unsent[]> {
    const sent = new Set(linesOf(this.#sent))
    const messages = new Map<string, Unsent>()
    for (const line of linesOf(this.#written)) {
      const message = JSON.parse(line) as Unsent
      if (message.at.run === run && !sent.has(message.key) && !messages.has(message.key))
        messages.set(message.key, message)
    }
    return [...messages.values()]
  }

  async remove(key: string): Promise<void> {
    appendFileSync(this.#sent, `${key}\n`)
  }
}

/** The whole lines of a file that another process may be writing to; none if there is no such file yet. */
export function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1)
  } catch {
    return []
  }
}
