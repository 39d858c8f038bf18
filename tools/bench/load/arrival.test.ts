import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Arrivals, allThere, differing } from './arrival.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arrival-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('allThere', () => {
  const files = [
    { path: 'a', bytes: 3 },
    { path: 'b', bytes: 3 },
  ]

  it('waits for the last file in its full length', async () => {
    writeFileSync(join(folder, 'a'), 'abc')
    writeFileSync(join(folder, 'b'), 'ab')
    const waiting = allThere(folder, files, { limitMs: 60_000 })
    setImmediate(() => writeFileSync(join(folder, 'b'), 'abc'))
    expect(await waiting).toBeGreaterThan(0)
  })

  it('says how many files were lost', async () => {
    writeFileSync(join(folder, 'a'), 'abc')
    await expect(allThere(folder, files, { limitMs: 0 })).rejects.toThrow('1 of 2 files did not arrive')
  })

  it('gives up at once when there is no hope', async () => {
    const signal = AbortSignal.abort(new Error('a link ended'))
    await expect(allThere(folder, files, { limitMs: 60_000, signal })).rejects.toThrow('a link ended')
  })
})

describe('Arrivals', () => {
  it('a file that is written half counts only when it holds every byte', async () => {
    writeFileSync(join(folder, 'a'), 'old')
    const arrivals = new Arrivals(folder, ['a'])
    try {
      const arrived = arrivals.next('a', Buffer.from('new bytes'), 60_000)
      writeFileSync(join(folder, 'a'), 'new')
      writeFileSync(join(folder, 'staged'), 'new bytes')
      renameSync(join(folder, 'staged'), join(folder, 'a'))
      expect(await arrived).toBeGreaterThan(0)
    } finally {
      arrivals.close()
    }
  })

  it('a change that does not arrive is an error, not a wait without end', async () => {
    const arrivals = new Arrivals(folder, ['a'])
    try {
      await expect(arrivals.next('a', Buffer.from('x'), 1)).rejects.toThrow('did not arrive')
    } finally {
      arrivals.close()
    }
  })
})

describe('differing', () => {
  it('counts files that are missing and files with other bytes', () => {
    const other = mkdtempSync(join(tmpdir(), 'arrival-'))
    try {
      for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), name)
      writeFileSync(join(other, 'a'), 'a')
      writeFileSync(join(other, 'b'), 'x')
      expect(differing(folder, other, [{ path: 'a' }, { path: 'b' }, { path: 'c' }])).toBe(2)
    } finally {
      rmSync(other, { recursive: true })
    }
  })
})
