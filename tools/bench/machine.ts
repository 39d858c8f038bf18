import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { availableParallelism, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { Installed, Peer } from './peers/install.ts'
import { number } from './rounds.ts'
import { median } from './statistics.ts'

/** Facts about the machine that help to compare figures. Nothing that says whose machine it is. */
export type Machine = Record<string, string>

const fileSystems: Record<number, string> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  16914836: 'tmpfs (nothing here is durable: the figures mean little)',
  2035054128: 'overlay',
}

export function machineFacts(folder: string, installed: Installed): Machine {
  return {
    cores: `${availableParallelism()}${processor()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release()}`,
    node: process.version,
    'file system': fileSystems[statfsSync(folder).type] ?? 'unknown',
    'one append of 350 bytes and fdatasync': `${number(syncMs(folder))} ms (median)`,
    redis: version(installed.redis),
    'nginx + nchan': version(installed.nginx),
    '@durable-streams/server': version(installed.durableStreams),
    rsync: version(installed.rsync),
    unison: version(installed.unison),
    syncthing: version(installed.syncthing),
    mutagen: version(installed.mutagen),
    lsyncd: version(installed.lsyncd),
    git: version(installed.git),
  }
}

function version(peer: Peer): string {
  return 'missing' in peer ? peer.missing : peer.version
}

function processor(): string {
  try {
    const name = /model name\s*:\s*(.+)/.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]
    return name === undefined ? '' : `, ${name.trim()}`
  } catch {
    return '' // not Linux
  }
}

function syncMs(folder: string): number {
  const name = join(folder, 'sync-probe')
  const file = openSync(name, 'a')
  const line = Buffer.alloc(350, 'x')
  const times: number[] = []
  for (let n = 0; n < 200; n++) {
    const started = performance.now()
    writeSync(file, line)
    fdatasyncSync(file)
    times.push(performance.now() - started)
  }
  closeSync(file)
  rmSync(name)
  return median(times)
}
