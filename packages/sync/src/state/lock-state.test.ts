import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lockHolder, lockState } from './lock-state.ts'

let folder: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farhand-lock-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** A process that takes the lock if it can, says what came of it, and stays. */
async function other(
  by: (words: [string, ...string[]]) => [string, ...string[]] = (words) => words,
): Promise<{ child: ChildProcess; said: string }> {
  const module = JSON.stringify(new URL('./lock-state.ts', import.meta.url).href)
  const script = `import { lockState } from ${module}
    const lock = lockState(${JSON.stringify(folder)})
    process.stdout.write('holder' in lock ? 'held by ' + lock.holder : 'taken')
    setInterval(() => {}, 1000)`
  const words = by([process.execPath, '--import', 'tsx', '--input-type=module', '-e', script])
  const child = spawn(words[0], words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [said] = await once(child.stdout, 'data')
  return { child, said: String(said) }
}

/** A lock that this process holds, as it stands in its file. */
function mineIn(elsewhere: string): { said: string } {
  lockState(elsewhere)
  return { said: readFileSync(join(elsewhere, 'lock'), 'utf8') }
}

describe('the lock of a state folder', () => {
  it('is held by one process at a time, and says by which', async () => {
    const lock = lockState(folder)
    expect(lockState(folder)).toEqual({ holder: process.pid })
    expect((await other()).said).toBe(`held by ${process.pid}`)
    if (!('release' in lock)) throw new Error('it was free')
    lock.release()
    expect((await other()).said).toBe('taken')
    // A second release does not free the lock of another process.
    lock.release()
    expect(lockState(folder)).toHaveProperty('holder')
  })

  it('ends with its process, however that ended', async () => {
    const { child, said } = await other()
    expect(said).toBe('taken')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(lockState(folder)).toHaveProperty('release')
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it.runIf(process.platform === 'linux')('ends with its process, also while that is a zombie', async () => {
    // What the shell becomes does not know that it has a child.
    const { child } = await other((words) => ['sh', '-c', '"$@" & exec sleep 600', 'sh', ...words])
    const pid = lockHolder(folder)!
    expect(pid).not.toBe(child.pid)
    process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(lockHolder(folder)).toBeNull(), 60_000)
    expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toContain(') Z ')
  })

  it('is taken by exactly one of many who find it dead', async () => {
    const { child } = await other()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const all = await Promise.all(Array.from({ length: 6 }, () => other()))
    expect(all.filter(({ said }) => said === 'taken')).toHaveLength(1)
  })

  it('that is dead is removed by one of those who find it; the others are told who that is', () => {
    const dead = { pid: 2 ** 30, started: 'long ago', key: 'dead' }
    writeFileSync(join(folder, 'lock'), JSON.stringify(dead))
    const { said } = mineIn(join(folder, 'beside'))
    writeFileSync(join(folder, 'lock.dead-dead'), said)
    expect(lockState(folder)).toEqual({ holder: process.pid })
    expect(lockHolder(folder)).toBeNull()
    // The one that removed it has died before it could.
    writeFileSync(join(folder, 'lock.dead-dead'), JSON.stringify({ ...dead, key: 'dead_too' }))
    expect(lockState(folder)).toHaveProperty('release')
    rmSync(join(folder, 'beside'), { recursive: true })
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('is not removed by one that found a dead one there before', () => {
    const dead = { pid: 2 ** 30, started: 'long ago', key: 'dead' }
    writeFileSync(join(folder, 'lock'), JSON.stringify(dead))
    expect(lockState(folder)).toHaveProperty('release')
    expect(lockState(folder)).toEqual({ holder: process.pid })
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it.runIf(process.platform === 'linux')(
    'does not take a newer process of the same number for its holder',
    () => {
      lockState(folder)
      const file = join(folder, 'lock')
      const holder = JSON.parse(readFileSync(file, 'utf8'))
      writeFileSync(file, JSON.stringify({ ...holder, started: 'long ago' }))
      expect(lockState(folder)).toHaveProperty('release')
    },
  )

  it('is free if the file there is not a lock', () => {
    writeFileSync(join(folder, 'lock'), '')
    expect(lockState(folder)).toHaveProperty('release')
  })

  it.each([
    { pid: 0, started: '' },
    { pid: -1, started: '' },
    { pid: process.pid, started: '' },
    { pid: 1.5, started: '' },
    { pid: `${process.pid}`, started: '' },
    { pid: process.pid },
    [process.pid],
    null,
  ])('is not held by %j, which no process has written', (said) => {
    writeFileSync(join(folder, 'lock'), JSON.stringify(said))
    expect(lockHolder(folder)).toBeNull()
    expect(lockState(folder)).toHaveProperty('release')
  })

  it.each(['a pipe', 'a link to what never ends', 'a link to a lock', 'huge'])(
    'is free if the file there is %s, and is not read',
    (kind) => {
      const [file, other] = [join(folder, 'lock'), join(folder, 'other')]
      const lock = lockState(other)
      if (kind === 'a pipe') spawnSync('mkfifo', [file])
      if (kind === 'a link to what never ends') symlinkSync('/dev/zero', file)
      if (kind === 'a link to a lock') symlinkSync(join(other, 'lock'), file)
      if (kind === 'huge') {
        cpSync(join(other, 'lock'), file)
        truncateSync(file, 2 ** 40)
      }
      expect(lockHolder(folder)).toBeNull()
      expect(lockState(folder)).toHaveProperty('release')
      expect(lock).toHaveProperty('release')
      expect(lockHolder(other)).toBe(process.pid)
    },
  )
})
