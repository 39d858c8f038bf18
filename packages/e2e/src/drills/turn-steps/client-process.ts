import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hub } from '@farhand/client/requests/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { ProgramProcess } from '@farhand/testkit/program-process'
import { build } from 'esbuild'

export type ClientGiven = { hub: Hub; at: RunAddress; folder: string }

const source = fileURLToPath(new URL('./client-program.ts', import.meta.url))

/** Makes the program of a client in this folder, once for all of its lives: to load its sources takes four times as long. */
export async function buildClient(folder: string): Promise<string> {
  const outfile = join(folder, 'client.mjs')
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm' })
  return outfile
}

/** A user's device: sends the messages of its outbox, records the events, and answers questions. */
export class ClientProcess extends ProgramProcess {
  readonly #words: readonly string[]

  constructor(program: string, given: ClientGiven) {
    super('the client')
    this.#words = [process.execPath, program, JSON.stringify(given)]
  }

  async spawn(): Promise<void> {
    await this.begin(this.#words)
  }
}
