import { fileURLToPath } from 'node:url'
import { printedJson } from '../children.ts'
import { node } from '../node-program.ts'
import type { Bench } from '../row.ts'
import type { FolderSync } from './folder-sync.ts'
import type { PeerName } from './install.ts'
import { lsyncd } from './lsyncd.ts'
import { mutagen } from './mutagen.ts'
import { exists } from './run-command.ts'
import { syncthing } from './syncthing.ts'
import { unison } from './unison.ts'

export const syncPeers: readonly PeerName[] = ['unison', 'syncthing', 'mutagen', 'lsyncd']

/** The copier that every goal of sync is measured by. */
export function copier(bench: Bench): FolderSync {
  const program = fileURLToPath(new URL('../floors/copier.mjs', import.meta.url))
  return {
    name: 'floor',
    twoWay: false,
    async start(a, b) {
      const child = bench.children.start(node, [program, a, b])
      await printedJson(child, (line) => (line.ready === true ? true : null))
      return { pids: [child.pid], stop: child.stop }
    },
  }
}

/** The others that keep folders in sync, as far as they are here. */
export function otherSyncs(bench: Bench): (FolderSync | { name: string; peer: true; missing: string })[] {
  const { installed } = bench
  const absent = (name: string, missing: string) => ({ name, peer: true as const, missing })
  return [
    'missing' in installed.syncthing
      ? absent('syncthing', installed.syncthing.missing)
      : syncthing(bench, installed.syncthing.program),
    'missing' in installed.mutagen
      ? absent('mutagen', installed.mutagen.missing)
      : mutagen(bench, installed.mutagen.program),
    'missing' in installed.unison
      ? absent('unison', installed.unison.missing)
      : unison(bench, exists('/usr/bin/unison-fsmonitor')),
    'missing' in installed.lsyncd ? absent('lsyncd (one way)', installed.lsyncd.missing) : lsyncd(bench),
  ]
}
