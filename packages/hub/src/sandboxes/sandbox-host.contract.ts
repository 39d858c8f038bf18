import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { randomName } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished } from 'vitest'
import { processesOf, readIdentity } from './processes.ts'
import type { SandboxHost, SandboxSpec } from './sandbox-host.ts'
import { runUnderTest as run, shellSpec } from './shell-spec-under-test.ts'

export type HostUnderTest = {
  /** Another instance each time, over the same folder. */
  open(): SandboxHost
  folder: string
  /** An expression that makes one in another process, and what it imports. */
  source: { imports: string; make: string }
}

/** What every sandbox host does, for any kind of sandbox. */
export function sandboxHostContract({ open, folder, source }: HostUnderTest): void {
  const host = open()
  const begin = async (input: SandboxSpec['input'], more: Partial<SandboxSpec> = {}) => {
    const spec = shellSpec(folder, input, more)
    onTestFinished(() => open().remove(spec.id))
    await host.start(spec)
    return spec
  }
  const said = async (input: SandboxSpec['input'], more: Partial<SandboxSpec> = {}) =>
    (await host.ended((await begin(input, more)).id)).lastWords

  describe('its program', () => {
    it('has its input, writable folders, and a folder with the sockets of its hub', async () => {
      const words = await said(
        ({ workspace, state, home, socketFolder }) => `
          pwd; echo "HOME $HOME"; ls ${socketFolder} && echo door
          for place in ${workspace} ${state} ${home} "\${TMPDIR:-/tmp}"; do
            echo here >"$place/file" && cat "$place/file"
          done
          echo ${workspace} ${home}`,
      )
      const [cwd, home, ...rest] = words.trim().split('\n')
      expect(rest).toEqual(['door', 'here', 'here', 'here', 'here', `${cwd} ${home?.slice('HOME '.length)}`])
    })

    it('reaches its hub through the socket, also a hub that starts later', async () => {
      const { id, socketFolder } = await begin(
        ({ socketFolder }) => `
          perl -MIO::Socket::UNIX -e '
            my $hub;
            until ($hub = IO::Socket::UNIX->new(Peer => "${socketFolder}/hub.sock")) { select undef, undef, undef, 0.02 }
            print "the hub says ", <$hub>;'`,
      )
      const socket = path.join(socketFolder, 'hub.sock')
      const hub = createServer((line) => line.end('hello\n'))
      onTestFinished(() => void hub.close())
      await once(hub.listen(socket), 'listening')
      chmodSync(socket, 0o666)
      expect((await host.ended(id)).lastWords).toBe('the hub says hello\n')
    })

    it('has no variable of the hub’s environment', async () => {
      process.env.FARHAND_HUB_SECRET = 'of the hub'
      onTestFinished(() => {
        delete process.env.FARHAND_HUB_SECRET
      })
      const words = await said(() => 'env')
      expect(words).toContain('HOME=')
      expect(words).not.toContain('of the hub')
    })

    it('gets an input of many pieces as a whole', async () => {
      expect(await said(() => `echo begin\n${'true\n'.repeat(100_000)}echo end\n`)).toBe('begin\nend\n')
    })

    it('ends, and the host tells its exit code or signal, and its last output', async () => {
      const { id } = await begin(() => 'echo long ago; seq 5000; echo at last >&2; exit 7')
      const end = await host.ended(id)
      expect(end).toMatchObject({ code: 7, signal: null })
      expect(end.lastWords).toMatch(/4999\n5000\nat last\n$/)
      expect(end.lastWords).not.toContain('long ago')
      const killed = await begin(() => 'kill -9 $$')
      expect(await host.ended(killed.id)).toMatchObject({ code: null, signal: 'SIGKILL' })
      // Also to a hub that was not there when it happened.
      expect(await open().ended(id)).toEqual(end)
      expect(await open().list()).toContainEqual({ id, run, isRunning: false })
    })

    it('ends, and the processes that it left running end with it', async () => {
      const { id } = await begin(() => 'setsid sleep 1000 & sleep 1000 & echo left')
      expect((await host.ended(id)).lastWords).toBe('left\n')
      expect(processesIn(id)).toEqual([])
    })
  })

  describe('the input of its program', () => {
    it('is in no argument and in no file', async () => {
      const secret = `secret${randomName()}`
      const { id } = await begin(() => `read -r token; echo ready; sleep 1000\n${secret}\n`)
      const seen = readdirSync('/proc').flatMap((pid) =>
        /^\d+$/.test(pid) ? read(`/proc/${pid}/cmdline`) : [],
      )
      expect(seen.join('\n')).toContain(id)
      expect(seen.join('\n')).not.toContain(secret)
      expect(filesUnder(folder).filter((file) => read(file).includes(secret))).toEqual([])
      expect(statSync(path.join(folder, id)).mode & 0o077).toBe(0)
    })
  })

  describe('a start that fails', () => {
    it.each([
      ['has no program', { program: ['/no/such/program'] }],
      ['cannot give its input', { input: () => expect.fail('no input') }],
    ] as const)('as it %s leaves nothing', async (_, more) => {
      const spec = shellSpec(folder, () => 'sleep 1000', more)
      await expect(host.start(spec)).rejects.toThrow(/no such program|no input/)
      expect(await host.list()).not.toContainEqual(expect.objectContaining({ id: spec.id }))
      expect(readdirSync(folder).filter((name) => name.startsWith(spec.id))).toEqual([])
      expect(processesIn(spec.id)).toEqual([])
    })

    it('because the id is in use leaves the other sandbox alone', async () => {
      const { id } = await begin(() => 'sleep 1000')
      await expect(host.start(shellSpec(folder, () => '', { id }))).rejects.toThrow(id)
      expect(await host.list()).toContainEqual({ id, run, isRunning: true })
    })
  })

  describe('when it is removed', () => {
    it('no process and no file is left, even of processes that left their group or ignore signals', async () => {
      const { id } = await begin(
        () => `
          trap '' TERM INT HUP
          (setsid sh -c 'trap "" TERM; (sleep 1000 &) ; sleep 1000' &)
          nohup sleep 1000 >/dev/null 2>&1 &
          sleep 1000`,
      )
      const ended = host.ended(id)
      const other = open()
      await Promise.all([other.remove(id), host.remove(id)])
      expect(processesIn(id)).toEqual([])
      expect(existsSync(path.join(folder, id))).toBe(false)
      expect(await other.list()).not.toContainEqual(expect.objectContaining({ id }))
      expect(await ended).toMatchObject({ code: null })
      await other.remove(id)
      expect(await other.ended(id)).toEqual({ code: null, signal: null, lastWords: '' })
    })
  })

  describe('when its supervisor is killed', () => {
    it('ends, with an unknown exit code', async () => {
      const { id } = await begin(() => 'setsid sleep 1000 & sleep 1000')
      const supervisor = readIdentity(readFileSync(path.join(folder, id, 'supervisor'), 'utf8'))
      const ended = open().ended(id)
      process.kill(supervisor!.pid, 'SIGKILL')
      expect(await ended).toMatchObject({ code: null })
      expect(processesIn(id)).toEqual([])
    })
  })

  describe('when its hub is killed', () => {
    it('runs on, and the next hub finds it, is told how it ends and can remove it', async () => {
      const specs = [1, 2].map(() => shellSpec(folder, () => ''))
      const letters = [
        `while [ ! -e "$DOOR/go" ]; do sleep 0.05; done; echo gone on; exit 3`,
        'sleep 1000; echo never',
      ]
      const script = `
        ${source.imports}
        const host = ${source.make}
        const specs = ${JSON.stringify(specs)}
        const letters = ${JSON.stringify(letters)}
        for (const [at, spec] of specs.entries())
          await host.start({ ...spec, input: ({ socketFolder }) => 'DOOR=' + socketFolder + '\\n' + letters[at] })
        console.log('started')
        setInterval(() => {}, 1000)`
      const hub = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [waiting, sleeping] = specs as [SandboxSpec, SandboxSpec]
      onTestFinished(async () => {
        for (const { id } of specs) await open().remove(id)
      })
      expect(String(await Promise.race([once(hub.stdout, 'data'), once(hub, 'exit')]))).toBe('started\n')
      hub.kill('SIGKILL')
      await once(hub, 'exit')
      const next = open()
      for (const { id } of specs) expect(await next.list()).toContainEqual({ id, run, isRunning: true })
      const ended = next.ended(waiting.id)
      mkdirSync(path.join(waiting.socketFolder, 'go'))
      expect(await ended).toEqual({ code: 3, signal: null, lastWords: 'gone on\n' })
      await next.remove(sleeping.id)
      expect(processesIn(sleeping.id)).toEqual([])
    })
  })
}

const processesIn = (id: string) => processesOf({ mark: id, leader: null, cgroups: [] })

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
