import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockData } from './data-lock.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-lock-'))
})
afterEach(() => rm(dir, { recursive: true }))

describe('the lock on the data folder', () => {
  it('is taken once and free again after its release', () => {
    const lock = taken(lockData(join(dir, 'not', 'there', 'yet')))
    expect(lockData(join(dir, 'not', 'there', 'yet'))).toBe('taken')
    lock.release()
    taken(lockData(join(dir, 'not', 'there', 'yet'))).release()
  })

  it('is a file that only this user can read', () => {
    const lock = taken(lockData(dir))
    expect(statSync(join(dir, 'lock.sqlite')).mode & 0o777).toBe(0o600)
    lock.release()
  })

  it('says of a damaged file that it is the lock, which holds nothing, and not the store', () => {
    writeFileSync(join(dir, 'lock.sqlite'), 'no database '.repeat(400))
    expect(() => lockData(dir)).toThrow(/^The file "lock\.sqlite" .* Nothing is kept in it: delete it/)
    rmSync(join(dir, 'lock.sqlite'))
    taken(lockData(dir)).release()
  })

  it('comes with an empty store file: a sync of the folder around it recognises a hub’s data by both', () => {
    const lock = taken(lockData(dir))
    expect(statSync(join(dir, 'store.sqlite'))).toMatchObject({ size: 0 })
    lock.release()
  })

  it('keeps another process out, and ends with it when it is killed', async () => {
    const other = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', holding(dir)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(String(await once(other.stdout, 'data'))).toBe('locked\n')
    expect(lockData(dir)).toBe('taken')
    other.kill('SIGKILL')
    await once(other, 'exit')
    taken(lockData(dir)).release()
  })
})

function taken(lock: ReturnType<typeof lockData>): { release(): void } {
  if (lock === 'taken') throw new Error('the lock was taken')
  return lock
}

const holding = (path: string) => `
  import { lockData } from ${JSON.stringify(new URL('./data-lock.ts', import.meta.url).href)}
  const lock = lockData(${JSON.stringify(path)})
  console.log(lock === 'taken' ? 'taken' : 'locked')
  setInterval(() => {}, 1000)`
