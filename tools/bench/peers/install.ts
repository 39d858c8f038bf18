import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GoProgram, goProgram } from './go-program.ts'
import { exists, runCommand } from './run-command.ts'

/** A peer that is there, or why it is not. */
export type Peer = { version: string } | { missing: string }
export type BuiltPeer = { version: string; program: string } | { missing: string }
export type PeerName = keyof typeof debian | 'durable-streams' | 'mutagen' | 'syncthing'
export type Installed = Record<keyof typeof debian, Peer> & {
  durableStreams: Peer & { module?: string }
  mutagen: BuiltPeer
  syncthing: BuiltPeer
}

const durableStreams = { name: '@durable-streams/server', version: '0.3.7' }
const debian = {
  redis: { packages: ['redis-server'], files: ['/usr/bin/redis-server'], version: ['redis-server', '-v'] },
  nginx: {
    packages: ['nginx', 'libnginx-mod-nchan'],
    files: ['/usr/sbin/nginx', '/usr/lib/nginx/modules/ngx_nchan_module.so'],
    version: ['nginx', '-v'],
  },
  unison: { packages: ['unison'], files: ['/usr/bin/unison'], version: ['unison', '-version'] },
  lsyncd: { packages: ['lsyncd'], files: ['/usr/bin/lsyncd'], version: ['lsyncd', '--version'] },
  rsync: { packages: ['rsync'], files: ['/usr/bin/rsync'], version: ['rsync', '--version'] },
  git: { packages: ['git'], files: ['/usr/bin/git'], version: ['git', '--version'] },
}
const mutagen: GoProgram = {
  name: 'mutagen',
  module: 'github.com/mutagen-io/mutagen',
  version: 'v0.18.1',
  replace: 'k8s.io/apimachinery v0.21.3 => github.com/mutagen-io/apimachinery v0.21.3-mutagen1',
  package: 'cmd/mutagen',
  tags: 'mutagencli',
}
// Debian 12's knows only whole seconds as a delay of its watcher, which would flatter us.
const syncthing: GoProgram = {
  name: 'syncthing',
  module: 'github.com/syncthing/syncthing',
  version: 'v1.30.0',
  replace: 'github.com/gobwas/glob v0.2.3 => github.com/calmh/glob v0.0.0-20220615080505-1d823af5017b',
  package: 'cmd/syncthing',
  tags: 'noassets',
}

type Say = (text: string) => void

/** Brings the peers onto this machine, once: Debian's by apt-get, npm's and Go's into `cache`, outside the workspace's lock file. */
export async function installPeers(
  cache: string,
  wanted: ReadonlySet<PeerName>,
  say: Say,
): Promise<Installed> {
  const notNeeded = { missing: 'not needed by the rows chosen' }
  const packaged = {} as Record<keyof typeof debian, Peer>
  for (const name of Object.keys(debian) as (keyof typeof debian)[]) {
    packaged[name] = wanted.has(name) ? await fromDebian(debian[name], say) : notNeeded
  }
  return {
    ...packaged,
    durableStreams: wanted.has('durable-streams') ? await fromNpm(join(cache, 'peers'), say) : notNeeded,
    mutagen: wanted.has('mutagen') ? await goProgram(cache, mutagen, say) : notNeeded,
    syncthing: wanted.has('syncthing') ? await goProgram(cache, syncthing, say) : notNeeded,
  }
}

async function fromDebian(what: (typeof debian)[keyof typeof debian], say: Say): Promise<Peer> {
  if (!what.files.every(exists)) {
    const names = what.packages.join(' ')
    if (process.getuid?.() !== 0 || !exists('/usr/bin/apt-get')) {
      return { missing: `not installed (as root: apt-get install ${names})` }
    }
    say(`installing ${names} with apt-get`)
    await runCommand('apt-get', ['update', '-qq'])
    // At run level 1 the packages' scripts start no services: the bench starts its own, on its own ports.
    const quiet = ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get', 'install', '-y', '-qq']
    const { code, output } = await runCommand('env', [...quiet, '--no-install-recommends', ...what.packages])
    if (code !== 0 || !what.files.every(exists)) {
      return { missing: `apt-get install ${names} failed: ${output.slice(-200).trim()}` }
    }
  }
  const { output } = await runCommand(what.version[0]!, what.version.slice(1))
  return { version: /\d+\.\d+\.\d+/.exec(output)?.[0] ?? 'unknown version' }
}

async function fromNpm(folder: string, say: Say): Promise<Installed['durableStreams']> {
  const { name, version } = durableStreams
  const home = join(folder, 'node_modules', name)
  if (installedVersion(home) !== version) {
    say(`installing ${name}@${version} into the cache`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"name":"bench-peers","private":true}\n')
    const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${version}`]
    const { output } = await runCommand('npm', args)
    if (installedVersion(home) !== version) {
      return { missing: `npm install ${name}@${version} failed: ${output.slice(-200).trim()}` }
    }
  }
  return { version, module: join(home, 'dist', 'index.js') }
}

function installedVersion(home: string): string | null {
  try {
    return JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version
  } catch {
    return null
  }
}
