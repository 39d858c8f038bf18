import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A peer that is there, or why it is not. */
export type Peer = { version: string } | { missing: string }
export type PeerName = 'redis' | 'nginx' | 'durable-streams'
export type Installed = { redis: Peer; nginx: Peer; durableStreams: Peer & { module?: string } }

const durableStreams = { name: '@durable-streams/server', version: '0.3.7' }
const debian = {
  redis: { packages: ['redis-server'], files: ['/usr/bin/redis-server'] },
  nginx: {
    packages: ['nginx', 'libnginx-mod-nchan'],
    files: ['/usr/sbin/nginx', '/usr/lib/nginx/modules/ngx_nchan_module.so'],
  },
}

type Say = (text: string) => void

/** Brings the peers onto this machine, once: Debian's by apt-get, npm's into `cache`, outside the workspace's lock file. */
export async function installPeers(
  cache: string,
  wanted: ReadonlySet<PeerName>,
  say: Say,
): Promise<Installed> {
  const notNeeded = { missing: 'not needed by the rows chosen' }
  return {
    redis: wanted.has('redis')
      ? await fromDebian(debian.redis, ['redis-server', '--version'], say)
      : notNeeded,
    nginx: wanted.has('nginx') ? await fromDebian(debian.nginx, ['nginx', '-v'], say) : notNeeded,
    durableStreams: wanted.has('durable-streams') ? await fromNpm(join(cache, 'peers'), say) : notNeeded,
  }
}

async function fromDebian(
  what: { packages: string[]; files: string[] },
  versionCommand: string[],
  say: Say,
): Promise<Peer> {
  if (!what.files.every(exists)) {
    const names = what.packages.join(' ')
    if (process.getuid?.() !== 0 || !exists('/usr/bin/apt-get')) {
      return { missing: `not installed (as root: apt-get install ${names})` }
    }
    say(`installing ${names} with apt-get`)
    await run('apt-get', ['update', '-qq'])
    // At run level 1 the packages' scripts start no services: the bench starts its own, on its own ports.
    const quiet = ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get', 'install', '-y', '-qq']
    const { code, output } = await run('env', [...quiet, '--no-install-recommends', ...what.packages])
    if (code !== 0 || !what.files.every(exists)) {
      return { missing: `apt-get install ${names} failed: ${output.slice(-200).trim()}` }
    }
  }
  const { output } = await run(versionCommand[0]!, versionCommand.slice(1))
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
    const { output } = await run('npm', args)
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

function exists(file: string): boolean {
  try {
    accessSync(file)
    return true
  } catch {
    return false
  }
}

async function run(command: string, args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  child.stderr.on('data', (text) => {
    output += text
  })
  try {
    const [code] = await once(child, 'close')
    return { code, output }
  } catch (error) {
    return { code: -1, output: String(error) }
  }
}
