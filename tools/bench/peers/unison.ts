import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../row.ts'
import type { FolderSync } from './folder-sync.ts'

const quiet = ['-batch', '-auto', '-silent', '-prefer', 'newer', '-confirmbigdel=false']

/** The command that brings two folders in step once, remembering in `home` what it saw. */
export function unisonOnce(home: string, a: string, b: string): [string, string[]] {
  mkdirSync(home, { recursive: true })
  return ['env', [`UNISON=${home}`, 'unison', a, b, ...quiet]]
}

/** Unison that waits for its fsmonitor or, where the package comes without one, looks again every second. */
export function unison(bench: Bench, monitored: boolean): FolderSync {
  let count = 0
  return {
    name: 'unison',
    peer: true,
    twoWay: true,
    async start(a, b) {
      const [command, args] = unisonOnce(join(bench.folder, `unison-${++count}`), a, b)
      const child = bench.children.start(command, [...args, '-repeat', monitored ? 'watch' : '1'])
      return { pids: [child.pid], stop: child.stop }
    },
  }
}
