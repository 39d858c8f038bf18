import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from './farhand-under-test.ts'
import { folderToLink } from './folder-to-link.ts'
import { worldOf } from './world-under-test.ts'

let home: string
let project: string
let state: string
beforeEach(async () => {
  home = await realpath(await temporaryFolder())
  project = path.join(home, 'code/project')
  state = path.join(home, '.local/state/farhand')
  await mkdir(project, { recursive: true })
})

const link = (folder: string, more = {}) =>
  folderToLink(folder, state, worldOf({ home, cwd: project, ...more }))

describe('a folder that shall be linked', () => {
  it('is called by its real name, from wherever it is named', async () => {
    await symlink(project, path.join(home, 'short'))
    expect(await link('.')).toBe(project)
    expect(await link('../../short')).toBe(project)
  })

  it.each([
    ['everything', () => '/', 'everything on this machine'],
    ['the home folder', () => home, 'is your home folder'],
    ['what the home folder is in', () => path.dirname(home), 'holds your home folder'],
    ['what the state folder is in', () => path.join(home, '.local'), 'would be synced itself'],
  ])('must not be %s', async (_, folder, sentence) => {
    await mkdir(state, { recursive: true })
    await expect(link(folder())).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining(sentence),
    })
  })

  it('is no file', async () => {
    await writeFile(path.join(project, 'a.txt'), '')
    await expect(link('a.txt')).rejects.toThrow('a.txt is a file.')
  })

  it('is made if whoever is there says so, and else named with the command that makes it', async () => {
    const missing = path.join(home, 'new/folder')
    await expect(link(missing)).rejects.toMatchObject({ nextStep: `Make it first: mkdir -p ${missing}` })
    await expect(link(missing, { ask: async () => 'n' })).rejects.toThrow('There is no folder')
    expect(await link(missing, { ask: async () => 'y' })).toBe(missing)
    expect(await link(missing)).toBe(missing)
  })
})
