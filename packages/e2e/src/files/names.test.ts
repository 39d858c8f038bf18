import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bothWays, foldersOnAHub } from './two-folders.ts'

const linked = foldersOnAHub()

const odd: Record<string, string> = {
  spaces: ' a  b /c d ',
  newlines: 'one\ntwo/three\r\nfour',
  emoji: '👩‍👩‍👧/🧵.txt',
  'quotes and stars': `it's "$HOME" * ? [x] {y} \\ |;&`,
  'the longest name there is': 'n'.repeat(255),
  'the longest name there is, in bytes': 'ü'.repeat(127),
  'a path of many long folders': Array.from({ length: 10 }, (_, n) => `${n}`.repeat(200)).join('/'),
  'what looks like a flag': '-rf/--help',
  'what looks like ours': 'deep/.farhandle/notes.txt',
  'composed letters': 'Ärger/naïve.txt'.normalize('NFC'),
}

describe.each(bothWays)('names of the $here', ({ here, there }) => {
  it('S10 odd as they are, arrive as they are, can be edited there, and go', async () => {
    const folders = await linked()
    await folders.begin()
    for (const path of Object.values(odd)) folders[here].write(path, 'from here')
    await folders.settled()
    for (const [what, path] of Object.entries(odd)) expect(folders[there].read(path), what).toBe('from here')
    for (const path of Object.values(odd)) folders[there].write(path, 'and back')
    await folders.settled()
    for (const [what, path] of Object.entries(odd)) expect(folders[here].read(path), what).toBe('and back')
    folders[here].answer = () => 'delete'
    for (const path of Object.values(odd)) folders[here].remove(path)
    expect((await folders.settled()).size).toBe(1)
  })

  it('S10 a name in decomposed letters is the same file as in composed ones, on either side', async () => {
    const folders = await linked()
    await folders.begin()
    const path = 'Ünïcödé/ñ.txt'
    folders[here].write(path.normalize('NFD'), 'from here')
    await folders.settled()
    expect(folders[there].read(path.normalize('NFC'))).toBe('from here')
    folders[there].write(path.normalize('NFC'), 'and back')
    const tree = await folders.settled()
    expect(folders[here].read(path.normalize('NFD'))).toBe('and back')
    expect(tree.size).toBe(2)
  })

  it('S10 of two names that differ only in composed letters, one is synced and the other is reported', async () => {
    const folders = await linked()
    await folders.begin()
    const path = 'ñ.txt'
    folders[here].write(path.normalize('NFC'), 'composed')
    await folders.settled()
    folders[here].write(path.normalize('NFD'), 'decomposed')
    const { skip } = await folders.heard(folders[here], 'skipped', ({ skip }) => skip.why === 'clash')
    expect(skip.path).toBe(path.normalize('NFD'))
    folders[here].write('after.txt', 'after')
    await folders.settled()
    expect(folders[there].read(path.normalize('NFC'))).toBe('composed')
    expect(folders[here].read(path.normalize('NFD'))).toBe('decomposed')
  })

  it('S9 S10 a name that other disks cannot hold is reported once, and its file stays where it is', async () => {
    const folders = await linked()
    await folders.begin()
    writeFileSync(
      Buffer.concat([Buffer.from(`${folders[here].root}/`), Buffer.from([0x66, 0xff, 0xfe])]),
      'not UTF-8',
    )
    folders[here].write('sub/git~1/x.txt', 'git on Windows')
    folders[here].write('after.txt', 'after')
    const isBad = ({ skip }: { skip: { why: string } }) => skip.why === 'bad-name'
    await folders.heard(folders[here], 'skipped', (note) => isBad(note) && note.skip.path.includes('git~1'))
    await folders.heard(folders[here], 'skipped', (note) => isBad(note) && note.skip.path.includes('\uFFFD'))
    await folders.settled((tree) => {
      for (const path of tree.keys()) if (path.includes('git~1') || path.includes('\uFFFD')) tree.delete(path)
    })
    expect(folders[there].read('after.txt')).toBe('after')
  })
})
