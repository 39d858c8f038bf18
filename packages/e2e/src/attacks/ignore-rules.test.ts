import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { LinkedFolder } from '../files/linked-folder.ts'
import { foldersOnAHub, type TwoFolders } from '../files/two-folders.ts'

const folders = foldersOnAHub()

/** All that the log says of these paths, by any author. */
async function sentOf(two: TwoFolders, ...paths: string[]): Promise<string[]> {
  const log = JSON.stringify(await two.events())
  return paths.filter((path) => log.includes(JSON.stringify(path)))
}

/** Starts these folders with files on the laptop, some of which its rules leave out. */
async function begin(two: TwoFolders, files: Record<string, string>, all = [two.laptop, two.sandbox]) {
  for (const [path, text] of Object.entries(files)) two.laptop.write(path, text)
  for (const folder of all) await folder.start()
  await two.heard(two.sandbox, 'applied', ({ path }) => path === '.gitignore')
  for (const folder of all) await two.heard(folder, 'in-step')
}

const isHeld =
  (path: string, why = 'newly-included') =>
  ({ skip }: { skip: { path: string; why: string } }) =>
    skip.path === path && skip.why === why

/** Has a change go through both folders that comes after everything else: what would have been sent is there by then. */
async function aRoundTrip(two: TwoFolders, from: LinkedFolder, name = 'after.txt'): Promise<void> {
  from.replace(name, name)
  const to = from === two.laptop ? two.sandbox : two.laptop
  await two.heard(to, 'applied', ({ path }) => path === name)
}

describe('an agent that rewrites ignore rules', () => {
  it.each([
    ['a .farhandignore that names what was ignored', '.farhandignore', '!.env\n!private/\n'],
    ['a .gitignore without its lines', '.gitignore', '# tidied\n'],
  ])('gets nothing that was ignored before: %s', async (_, file, text) => {
    const two = await folders()
    const { laptop, sandbox } = two
    laptop.write('.env', 'KEY=1')
    laptop.write('private/deep/notes.txt', 'private')
    await begin(two, { '.gitignore': '.env\nprivate/\n', 'a.txt': 'a' })
    sandbox.write(file, text)
    await two.heard(laptop, 'applied', ({ path }) => path === file)
    await two.heard(laptop, 'skipped', isHeld('.env'))
    await two.heard(laptop, 'skipped', isHeld('private/deep/notes.txt'))
    // What is made from now on is ordinary.
    laptop.write('private/new.txt', 'made after the rule')
    await two.heard(sandbox, 'applied', ({ path }) => path === 'private/new.txt')
    expect(await sentOf(two, '.env', 'private/deep/notes.txt')).toEqual([])
  })

  it('gets nothing by deleting a .gitignore, also one in a folder that it renames', async () => {
    const two = await folders()
    const { laptop, sandbox } = two
    laptop.write('.env', 'KEY=1')
    laptop.write('app/.env.local', 'KEY=2')
    await begin(two, { '.gitignore': '.env\n', 'app/.gitignore': '.env.local\n', 'app/a.txt': 'a' })
    sandbox.remove('.gitignore')
    sandbox.rename('app', 'web')
    await two.heard(laptop, 'skipped', isHeld('.env'))
    await two.heard(laptop, 'skipped', isHeld('app/.env.local'))
    await aRoundTrip(two, laptop)
    expect(await sentOf(two, '.env', 'app/.env.local', 'web/.env.local')).toEqual([])
    expect(laptop.read('app/.env.local')).toBe('KEY=2')
  })

  it.each([
    ['to a file without rules', 'rules.txt'],
    ['whose target reads like the rules of before', '.env'],
  ])('gets nothing by putting a link where the rules were: %s', async (_, target) => {
    const two = await folders()
    const { laptop, sandbox } = two
    laptop.write('.env', 'KEY=1')
    await begin(two, { '.gitignore': '.env\n', 'rules.txt': '# none\n' })
    sandbox.remove('.gitignore')
    sandbox.link('.gitignore', target)
    await two.heard(laptop, 'skipped', isHeld('.env'))
    await aRoundTrip(two, laptop)
    expect(await sentOf(two, '.env')).toEqual([])
  })

  it('gets nothing from a link that was off meanwhile, nor from one that starts again', async () => {
    const two = await folders()
    const { laptop, sandbox } = two
    laptop.write('.env', 'KEY=1')
    await begin(two, { '.gitignore': '.env\n' })
    await laptop.stop()
    sandbox.write('.gitignore', '')
    await two.heard(sandbox, 'sent', ({ path }) => path === '.gitignore')
    for (let life = 0; life < 2; life++) {
      laptop.notes.length = 0
      await laptop.start()
      await two.heard(laptop, 'skipped', isHeld('.env'))
      await aRoundTrip(two, laptop, `after-${life}.txt`)
      await laptop.stop()
    }
    // Also if the user adds a line of their own to the rules: that says nothing about what was held back.
    laptop.write('.gitignore', 'unrelated\n')
    laptop.notes.length = 0
    await laptop.start()
    await two.heard(laptop, 'skipped', isHeld('.env'))
    await aRoundTrip(two, laptop, 'after-own.txt')
    expect(await sentOf(two, '.env')).toEqual([])
  })

  it('gets nothing by putting a file of its own where the held one is', async () => {
    const two = await folders()
    const { laptop, sandbox } = two
    laptop.write('.env', 'KEY=1')
    await begin(two, { '.gitignore': '.env\n' })
    sandbox.write('.gitignore', '')
    await two.heard(laptop, 'skipped', isHeld('.env'))
    sandbox.write('.env', 'of the agent')
    await two.heard(sandbox, 'sent', ({ path }) => path === '.env')
    await laptop.stop()
    laptop.notes.length = 0
    await laptop.start()
    await two.heard(laptop, 'skipped', isHeld('.env'))
    await aRoundTrip(two, laptop)
    expect([laptop.read('.env'), sandbox.read('.env')]).toEqual(['KEY=1', 'of the agent'])
    // Once the user has nothing there any more, what the run has may come.
    laptop.remove('.env')
    await two.heard(laptop, 'applied', ({ path }) => path === '.env')
    expect(laptop.read('.env')).toBe('of the agent')
  })

  it('makes folder and run differ by no rule that it adds and removes again', async () => {
    const two = await folders()
    const { laptop, sandbox } = two
    await begin(two, { '.gitignore': 'x\n', 'notes.md': 'one' })
    sandbox.write('.gitignore', 'x\n*.md\n')
    await two.heard(laptop, 'applied', ({ path, deed }) => path === '.gitignore' && deed === 'modified')
    await two.heard(laptop, 'skipped', isHeld('notes.md', 'ignored'))
    await two.heard(laptop, 'in-step', ({ leftOut }) => leftOut === 1)
    laptop.notes.length = 0
    sandbox.write('.gitignore', 'x\n')
    await two.heard(laptop, 'in-step', ({ leftOut }) => leftOut === 0)
    laptop.replace('notes.md', 'two')
    await two.heard(sandbox, 'applied', ({ path, deed }) => path === 'notes.md' && deed === 'modified')
  })

  it('gets nothing from the second laptop of a run either', async () => {
    const two = await folders()
    const { laptop } = two
    const other = two.another('other', 'disk')
    other.write('.env', 'KEY=1')
    await begin(two, { '.gitignore': '.env\n' }, [laptop, two.sandbox])
    other.write('.gitignore', '.env\n')
    await other.start()
    await two.heard(other, 'in-step')
    laptop.write('.gitignore', '')
    await two.heard(other, 'skipped', isHeld('.env'))
    other.replace('after.txt', 'after')
    await two.heard(laptop, 'applied', ({ path }) => path === 'after.txt')
    expect(await sentOf(two, '.env')).toEqual([])
  })

  it('the user may say otherwise, and then it goes, also to a link that runs', async () => {
    const two = await folders()
    const { laptop, sandbox } = two
    laptop.write('.env', 'KEY=1')
    laptop.write('other.env', 'KEY=2')
    await begin(two, { '.gitignore': '.env\nother.env\n' })
    sandbox.write('.gitignore', '')
    await two.heard(laptop, 'skipped', isHeld('.env'))
    laptop.allow('.env')
    await two.heard(sandbox, 'applied', ({ path }) => path === '.env')
    expect(sandbox.read('.env')).toBe('KEY=1')
    expect(await sentOf(two, 'other.env')).toEqual([])
  })

  it('what git tracks here, by the user, is no secret of theirs: it goes as before', async () => {
    const two = await folders()
    const { laptop, sandbox } = two
    execFileSync('git', ['-C', laptop.root, 'init', '-q'])
    laptop.write('build/kept.txt', 'kept')
    laptop.write('build/other.txt', 'other')
    execFileSync('git', ['-C', laptop.root, 'add', '-f', 'build/kept.txt'])
    await begin(two, { '.gitignore': 'build/\n' })
    sandbox.write('.gitignore', '')
    await two.heard(laptop, 'skipped', isHeld('build/other.txt'))
    laptop.replace('build/kept.txt', 'changed')
    await two.heard(sandbox, 'applied', ({ path, deed }) => path === 'build/kept.txt' && deed === 'modified')
    expect(await sentOf(two, 'build/other.txt')).toEqual([])
  })
})
