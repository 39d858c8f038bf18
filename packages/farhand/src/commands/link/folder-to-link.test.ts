import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isOfTheSystem } from '@farhand/device/linked-folders/linkable-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'
import { folderToLink } from './folder-to-link.ts'

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
  folderToLink(folder, state, testContext({ home, cwd: project, ...more }))

describe('a folder that shall be linked', () => {
  it('is called by its real path, no matter how it is named', async () => {
    await symlink(project, path.join(home, 'short'))
    expect(await link('.')).toBe(project)
    expect(await link('../../short')).toBe(project)
  })

  it.each([
    ['everything', () => '/', 'everything on this machine'],
    ['the home folder', () => home, 'is your home folder'],
    ['what the home folder is in', () => path.dirname(home), 'holds your home folder'],
    ['what the state folder is in', () => path.join(home, '.local'), 'would be synced itself'],
    ['where the system keeps its settings', () => '/etc', '/etc belongs to the system'],
    ['where the system keeps its programs', () => '/usr', '/usr belongs to the system'],
    ['the same by a shorter name', () => '/bin', 'bin belongs to the system'],
    ['what is no file on any disk', () => '/proc', '/proc belongs to the system'],
    ['what programs write for the system', () => '/var', '/var belongs to the system'],
  ])('must not be %s', async (_, folder, sentence) => {
    await mkdir(state, { recursive: true })
    await expect(link(folder())).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining(sentence),
    })
  })

  it('may be below one that belongs to the system', () => {
    const refused = [
      '/etc',
      '/lib64',
      '/usr/lib32',
      '/sbin',
      '/home',
      '/root',
      '/boot',
      '/dev',
      '/sys',
      '/run',
    ]
    for (const folder of refused) expect(isOfTheSystem(folder)).toBe(true)
    const allowed = [
      '/var/www',
      '/usr/src/x',
      '/usr/local',
      '/libraries',
      '/etcetera',
      '/home/ada',
      '/srv',
      '/tmp',
    ]
    for (const folder of allowed) expect(isOfTheSystem(folder)).toBe(false)
  })

  it('is no data folder of a hub, nor lies in one', async () => {
    const data = path.join(project, 'data')
    const hub = farhand('hub', '--port', '0', '--data', data, '--json')
    await hub.line()
    const refused = { exit: 'usage', nextStep: 'Link the folder of one project.' }
    const is = `A hub keeps its data in ${data}.`
    await expect(link(data)).rejects.toMatchObject({ ...refused, message: is })
    const lies = `A hub keeps its data in ${data}, and ${data}/files is in it.`
    await expect(link(`${data}/files`)).rejects.toMatchObject({ ...refused, message: lies })
    expect(await link(project)).toBe(project)
    hub.child.kill('SIGTERM')
    await hub.exitCode
    await expect(link(data)).rejects.toThrow(is)
  })

  it('is no file', async () => {
    await writeFile(path.join(project, 'a.txt'), '')
    await expect(link('a.txt')).rejects.toThrow('a.txt is a file.')
  })

  it('is made if the user at the terminal says so, and otherwise named with the command that makes it', async () => {
    const missing = path.join(home, 'new/folder')
    await expect(link(missing)).rejects.toMatchObject({ nextStep: `Make it first: mkdir -p ${missing}` })
    await expect(link(missing, { ask: async () => 'n' })).rejects.toThrow('There is no folder')
    expect(await link(missing, { ask: async () => 'y' })).toBe(missing)
    expect(await link(missing)).toBe(missing)
  })
})
