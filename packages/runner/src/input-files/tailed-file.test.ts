import { appendFile, mkdtemp, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TailedFile } from './tailed-file.ts'

async function place() {
  const home = await mkdtemp(path.join(tmpdir(), 'farhand-fed-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const file = path.join(home, 'messages.jsonl')
  const notes = path.join(home, 'notes')
  return { home, file, notes, open: () => new TailedFile(file, notes) }
}

/** Reads all that is there, and passes it. */
async function all(growing: TailedFile): Promise<string[]> {
  const lines = await growing.read()
  for (const line of lines) growing.pass(line)
  return lines.map(({ text }) => text)
}

describe('a file to which lines are appended', () => {
  it('need not be there yet', async () => {
    const { file, open } = await place()
    const growing = open()
    expect(await all(growing)).toEqual([])
    await writeFile(file, 'one\ntwo\n')
    expect(await all(growing)).toEqual(['one', 'two'])
    await appendFile(file, 'three\r\n')
    expect(await all(growing)).toEqual(['three'])
    expect(await all(growing)).toEqual([])
  })

  it('gives a line once it is whole, even if it was cut within a character', async () => {
    const { file, open } = await place()
    const growing = open()
    const bytes = Buffer.from('grüße\n')
    await writeFile(file, bytes.subarray(0, 3))
    expect(await all(growing)).toEqual([])
    await appendFile(file, bytes.subarray(3))
    expect(await all(growing)).toEqual(['grüße'])
  })

  it('is read on by the next process where the one before was, and what was not passed has the same key', async () => {
    const { file, open } = await place()
    await writeFile(file, 'one\ntwo\nthree\n')
    const growing = open()
    const [one, two] = await growing.read()
    growing.pass(one!)
    const again = await open().read()
    expect(again.map(({ text }) => text)).toEqual(['two', 'three'])
    expect(again[0]!.key).toBe(two!.key)
    expect(new Set([one, ...again].map((line) => line!.key)).size).toBe(3)
  })

  it('has the same keys when the note of how far it was read is lost', async () => {
    const { file, notes, open } = await place()
    await writeFile(file, 'one\none\n')
    const growing = open()
    const before = await growing.read()
    for (const line of before) growing.pass(line)
    for (const name of await readdir(notes)) await writeFile(path.join(notes, name), '{"torn')
    const after = await open().read()
    expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key))
  })

  it.each<[string, (file: string) => Promise<void>]>([
    ['emptied', (file) => truncate(file, 0)],
    ['deleted', (file) => rm(file)],
    ['moved away', (file) => rename(file, `${file}.1`)],
  ])('that was %s begins anew, with other keys for the same words', async (_, end) => {
    const { file, open } = await place()
    const growing = open()
    await writeFile(file, 'same\nlonger than before\n')
    const [first] = await growing.read()
    await all(growing)
    await end(file)
    expect(await all(growing)).toEqual([])
    await appendFile(file, 'same\n')
    const [second] = await growing.read()
    expect(second?.text).toBe('same')
    expect(second?.key).not.toBe(first?.key)
  })

  it('that was replaced while it was not read is read from its start, even if it is longer', async () => {
    const { file, open } = await place()
    await writeFile(file, 'one\ntwo\n')
    await all(open())
    await writeFile(file, 'uno\ndue\ntre\n')
    expect(await all(open())).toEqual(['uno', 'due', 'tre'])
  })

  it('does not wait for the end of a line that is too long for the hub', async () => {
    const { file, open } = await place()
    await writeFile(file, `${'x'.repeat(9 * 1024 * 1024)}\nnext\n`)
    const growing = open()
    const lines: string[] = []
    for (let some = await all(growing); some.length > 0; some = await all(growing)) lines.push(...some)
    expect(lines.at(-1)).toBe('next')
  })

  it('is no folder', async () => {
    const { home, notes } = await place()
    await expect(new TailedFile(home, notes).read()).rejects.toMatchObject({ code: 'EISDIR' })
  })
})
