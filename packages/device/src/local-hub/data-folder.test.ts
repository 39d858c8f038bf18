import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryFolder } from '@farhand/testkit/temporary-folder'
import { describe, expect, it } from 'vitest'
import { dataTrouble, openDataFolder } from './data-folder.ts'

/** Root may write everywhere, so it has to step down to see what others see. */
function asNobody(act: () => void): void {
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(65534)
  try {
    act()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

const cannot = (folder: string, why: string) =>
  expect.objectContaining({
    exit: 'failed',
    message: `The data folder ${folder} cannot be used: ${why}.`,
    nextStep: 'Give another one with --data, or make this one writable.',
  })

describe('the data folder', () => {
  it('is made with all the folders above it, for this user only, and nothing is left in it', async () => {
    const folder = path.join(await temporaryFolder(), 'a', 'b')
    openDataFolder(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder)).toEqual([])
    openDataFolder(folder)
  })

  it('cannot be a file, nor lie in one', async () => {
    const file = path.join(await temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(() => openDataFolder(file)).toThrow(cannot(file, `${file} is not a folder`))
    expect(() => openDataFolder(`${file}/a/b`)).toThrow(cannot(`${file}/a/b`, `${file} is not a folder`))
  })

  it('cannot be a link that leads nowhere', async () => {
    const link = path.join(await temporaryFolder(), 'link')
    symlinkSync(`${link}-nowhere`, link)
    expect(() => openDataFolder(link)).toThrow(cannot(link, `${link} is not a folder`))
  })

  it('must be writable, whether it is empty, holds data, or is yet to be made', async () => {
    const parent = await temporaryFolder()
    chmodSync(parent, 0o755)
    for (const name of ['empty', 'full']) mkdirSync(path.join(parent, name))
    writeFileSync(path.join(parent, 'full', 'store.sqlite'), 'data')
    for (const name of ['empty', 'full']) chmodSync(path.join(parent, name), 0o555)
    asNobody(() => {
      for (const name of ['empty', 'full']) {
        const folder = path.join(parent, name)
        expect(() => openDataFolder(folder)).toThrow(cannot(folder, `this user may not write in ${folder}`))
      }
      const below = path.join(parent, 'full', 'new', 'one')
      const why = `this user may not write in ${path.join(parent, 'full')}`
      expect(() => openDataFolder(below)).toThrow(cannot(below, why))
    })
  })

  it.runIf(existsSync('/proc/self'))('cannot be where no folder can be made, which is noticed', () => {
    expect(() => openDataFolder('/proc/farhand/a')).toThrow(
      cannot('/proc/farhand/a', 'no folder can be made in /proc'),
    )
  })

  it.each([
    [{ code: 'EROFS', path: '/mnt/a/b', syscall: 'mkdir' }, '/mnt/a is on a disk that is mounted read-only'],
    [{ code: 'ENOSPC', path: '/mnt/a/b', syscall: 'open' }, 'the disk of /mnt/a is full'],
    [{ code: 'SQLITE_READONLY' }, 'this user may not write in all of its files'],
    [{ message: 'attempt to write a readonly database' }, 'this user may not write in all of its files'],
    [{ code: 'SQLITE_CANTOPEN' }, 'this user may not write in all of its files'],
    [
      { message: 'ConnectionFailed("Unable to open connection: 14")' },
      'this user may not write in all of its files',
    ],
  ])('cannot be used after %j', (error, why) => {
    expect(dataTrouble('/mnt/a', Object.assign(new Error('raw'), error))).toEqual(cannot('/mnt/a', why))
  })

  it('is not blamed for what has nothing to do with it', () => {
    expect(dataTrouble('/mnt/a', Object.assign(new Error('raw'), { code: 'EADDRINUSE' }))).toBeNull()
  })
})
