import { chmodSync, existsSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { foldersOnAHub, type TwoFolders } from './two-folders.ts'

const linked = foldersOnAHub()

/** Changes both folders so that neither knows of the other: while both are away, or in the same moment. */
const unknowing: [string, (folders: TwoFolders, change: () => void) => Promise<unknown>][] = [
  [
    'while they are apart',
    async (folders, change) => {
      await folders.stopAll()
      change()
      return folders.startAll()
    },
  ],
  [
    'in the same millisecond',
    async (folders, change) => {
      change()
      return folders.settled()
    },
  ],
]

describe.each(unknowing)('both sides change a file %s', (_, apart) => {
  it("S2 S4 two edits: the laptop's stays everywhere, and the sandbox's can be put back", async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin({ 'a.txt': 'agreed' })
    await apart(folders, () => {
      sandbox.write('a.txt', 'from the sandbox')
      laptop.write('a.txt', 'from the laptop')
    })
    expect([laptop.read('a.txt'), sandbox.read('a.txt')]).toEqual(['from the laptop', 'from the laptop'])
    await folders.restore('a.txt', 'from the sandbox')
    await folders.settled()
    expect([laptop.read('a.txt'), sandbox.read('a.txt')]).toEqual(['from the sandbox', 'from the sandbox'])
    await folders.restore('a.txt', 'from the laptop')
    await folders.settled()
    expect(sandbox.read('a.txt')).toBe('from the laptop')
  })

  it("S2 S4 two new files of one name: the laptop's stays, and the sandbox's can be put back", async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin()
    await apart(folders, () => {
      laptop.write('new.txt', 'from the laptop')
      sandbox.write('new.txt', 'from the sandbox')
    })
    expect(sandbox.read('new.txt')).toBe('from the laptop')
    await folders.restore('new.txt', 'from the sandbox')
    await folders.settled()
    expect(laptop.read('new.txt')).toBe('from the sandbox')
  })

  it('S2 the same edit on both sides is an agreement, and neither is a lost version', async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin({ 'a.txt': 'agreed' })
    await apart(folders, () => {
      laptop.replace('a.txt', 'the same')
      sandbox.replace('a.txt', 'the same')
    })
    expect([laptop.read('a.txt'), sandbox.read('a.txt')]).toEqual(['the same', 'the same'])
    expect([...laptop.notes, ...sandbox.notes].filter(({ is }) => is === 'kept')).toEqual([])
  })

  it('S2 two deletions are one', async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin({ 'a.txt': 'a', 'kept.txt': 'kept' })
    await apart(folders, () => {
      laptop.remove('a.txt')
      sandbox.remove('a.txt')
    })
    expect([existsSync(laptop.at('a.txt')), existsSync(sandbox.at('a.txt'))]).toEqual([false, false])
  })

  it("S2 an edit on the laptop outlives the sandbox's deletion", async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin({ 'a.txt': 'a', 'kept.txt': 'kept' })
    await apart(folders, () => {
      sandbox.remove('a.txt')
      laptop.write('a.txt', 'edited')
    })
    expect([laptop.read('a.txt'), sandbox.read('a.txt')]).toEqual(['edited', 'edited'])
  })

  it("S2 S4 the laptop's deletion outlives an edit in the sandbox, which can be put back", async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin({ 'a.txt': 'a', 'kept.txt': 'kept' })
    await apart(folders, () => {
      laptop.remove('a.txt')
      sandbox.write('a.txt', 'edited')
    })
    expect([existsSync(laptop.at('a.txt')), existsSync(sandbox.at('a.txt'))]).toEqual([false, false])
    await folders.restore('a.txt', 'edited')
    await folders.settled()
    expect([laptop.read('a.txt'), sandbox.read('a.txt')]).toEqual(['edited', 'edited'])
  })

  it("S2 S4 a folder on the laptop where the sandbox has put a file: the laptop's stays", async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin()
    await apart(folders, () => {
      sandbox.write('thing', 'a file')
      laptop.write('thing/inside.txt', 'in a folder')
    })
    expect(sandbox.read('thing/inside.txt')).toBe('in a folder')
    await folders.restore('thing', 'a file')
    await folders.settled()
    expect(laptop.read('thing')).toBe('a file')
  })

  it("S2 S4 a file on the laptop where the sandbox has made a folder: the laptop's stays", async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin()
    await apart(folders, () => {
      sandbox.write('thing/inside.txt', 'in a folder')
      laptop.write('thing', 'a file')
    })
    expect([laptop.read('thing'), sandbox.read('thing')]).toEqual(['a file', 'a file'])
    await folders.restore('thing/inside.txt', 'in a folder')
    await folders.settled()
    expect(laptop.read('thing/inside.txt')).toBe('in a folder')
  })

  it('S1 S2 an exec bit here and an edit there are two changes of one file', async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    await folders.begin({ 'run.sh': 'one' })
    await apart(folders, () => {
      chmodSync(laptop.at('run.sh'), 0o755)
      sandbox.write('run.sh', 'two')
    })
    expect(sandbox.read('run.sh')).toBe('one')
    expect(statSync(sandbox.at('run.sh')).mode & 0o100).toBe(0o100)
    await folders.restore('run.sh', 'two')
    await folders.settled()
    expect(laptop.read('run.sh')).toBe('two')
  })
})

describe('two laptops on one run', () => {
  it('S3 S4 edit the same file: they agree on one version, and the other can be put back', async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    const second = folders.another('second laptop', 'disk')
    await folders.begin({ 'a.txt': 'agreed' })
    for (const [mine, theirs] of [
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ] as const) {
      laptop.write('a.txt', mine)
      second.write('a.txt', theirs)
      sandbox.write('a.txt', `sandbox ${mine}`)
      await folders.settled()
      const stayed = laptop.read('a.txt')
      expect([mine, theirs]).toContain(stayed)
      const other = stayed === mine ? theirs : mine
      await folders.restore('a.txt', other)
      await folders.settled()
      expect([laptop.read('a.txt'), second.read('a.txt'), sandbox.read('a.txt')]).toEqual([
        other,
        other,
        other,
      ])
    }
  })

  it('S3 S4 have edited it while all were away: the first to come back stays', async () => {
    const folders = await linked()
    const { laptop, sandbox } = folders
    const second = folders.another('second laptop', 'disk')
    await folders.begin({ 'a.txt': 'agreed', 'b.txt': 'agreed' })
    await folders.stopAll()
    laptop.write('a.txt', 'laptop')
    second.write('a.txt', 'second')
    second.remove('b.txt')
    laptop.write('b.txt', 'laptop')
    await second.start()
    await folders.settled()
    await folders.startAll()
    expect([laptop.read('a.txt'), sandbox.read('a.txt')]).toEqual(['second', 'second'])
    expect(existsSync(laptop.at('b.txt'))).toBe(false)
    await folders.restore('a.txt', 'laptop')
    await folders.restore('b.txt', 'laptop')
    await folders.settled()
    expect([second.read('a.txt'), second.read('b.txt')]).toEqual(['laptop', 'laptop'])
  })
})
