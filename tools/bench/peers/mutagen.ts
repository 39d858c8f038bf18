import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Child } from '../children.ts'
import type { Bench } from '../row.ts'
import type { FolderSync } from './folder-sync.ts'

/** One daemon of our own for each pair; both folders are local to it, so no agent and no copy over a pipe slows it. */
export function mutagen(bench: Bench, program: string): FolderSync {
  let count = 0
  return {
    name: 'mutagen',
    peer: true,
    twoWay: true,
    async start(a, b) {
      const home = join(bench.folder, `mutagen-${++count}`)
      mkdirSync(home)
      const call = (...args: string[]): Child =>
        bench.children.start('env', [`MUTAGEN_DATA_DIRECTORY=${home}`, program, ...args])
      const daemon = call('daemon', 'run')
      // The daemon says nowhere that it listens: creating the session is tried until it does.
      const options = ['--mode', 'two-way-resolved', '--watch-polling-interval', '1', '--name', 'bench']
      for (let tries = 0; ; tries++) {
        const create = call('sync', 'create', ...options, a, b)
        const [code] = await once(create.process, 'exit')
        if (code === 0) break
        if (tries === 50) throw new Error(`mutagen sync create: ${create.output().slice(-300).trim()}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return { pids: [daemon.pid], stop: daemon.stop }
    },
  }
}
