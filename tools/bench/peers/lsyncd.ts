import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../row.ts'
import type { FolderSync } from './folder-sync.ts'

/** Syncs one way only: reported as such, and never among those that sync both ways. */
export function lsyncd(bench: Bench): FolderSync {
  let count = 0
  return {
    name: 'lsyncd (one way)',
    peer: true,
    twoWay: false,
    async start(a, b) {
      const file = join(bench.folder, `lsyncd-${++count}.lua`)
      // Its shortest delay. Without the checksum rsync overlooks a change of the same size within the same second.
      writeFileSync(
        file,
        `settings { nodaemon = true, logfile = ${JSON.stringify(`${file}.log`)} }\n` +
          `sync { default.rsync, rsync = { archive = true, checksum = true }, source = ${JSON.stringify(a)}, target = ${JSON.stringify(b)}, delay = 0 }\n`,
      )
      const child = bench.children.start('lsyncd', ['-nodaemon', file])
      return { pids: [child.pid], stop: child.stop }
    },
  }
}
