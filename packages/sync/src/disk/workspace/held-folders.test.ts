import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { at as pathOf, WorkspaceUnderTest } from '../write/applier-under-test.ts'
import { plainRenames, systemRenames } from '../write/renames.ts'
import { canHold } from './held-folders.ts'

const ways = { held: canHold(), 'only looked at': false }

function makeWorkspace(holdsFolders: boolean, step: (name: string, here: WorkspaceUnderTest) => void) {
  const here: WorkspaceUnderTest = new WorkspaceUnderTest({ holdsFolders, step: (name) => step(name, here) })
  onTestFinished(() => {
    here.applier.close()
    here.remove()
  })
  const outside = join(here.root, '../outside')
  mkdirSync(outside)
  return { here, outside }
}

describe.each(Object.entries(ways))('folders that are %s while files are put into them', (_, holds) => {
  it.each(['staged', 'intended', 'created'])(
    'S6 nothing is written outside when one is traded for a link at the step "%s"',
    (at) => {
      let swapped = false
      const { here, outside } = makeWorkspace(holds, (name, here) => {
        if (name !== at || swapped) return
        swapped = true
        renameSync(here.path('d'), here.path('d2'))
        symlinkSync('../outside', here.path('d'))
      })
      mkdirSync(here.path('d'))
      writeFileSync(here.path('d/kept'), '')
      const changes = Array.from({ length: 200 }, (_, n) => here.change(`d/f${n}`, `${n}`))
      const answers = here.applier.apply(changes)
      expect(readdirSync(outside)).toEqual([])
      const done = answers.filter(({ is }) => is === 'done').length
      expect(readdirSync(here.path('d2'))).toHaveLength(1 + done + (at === 'created' && !holds ? 1 : 0))
      expect(done).toBeLessThan(100)
    },
  )

  it('S6 if a folder becomes a link to the outside, no file out there is deleted or replaced', () => {
    const { here, outside } = makeWorkspace(holds, (name, here) => {
      if (name !== 'intended') return
      renameSync(here.path('d'), here.path('d2'))
      symlinkSync('../outside', here.path('d'))
    })
    mkdirSync(here.path('d'))
    for (const name of ['a', 'b']) {
      writeFileSync(here.path(`d/${name}`), 'ours')
      writeFileSync(join(outside, name), 'theirs')
    }
    here.know('d/a', 'd/b')
    here.applier.apply([here.change('d/a', 'new')])
    renameSync(here.path('d2'), here.path('d3'))
    rmSync(here.path('d'))
    renameSync(here.path('d3'), here.path('d'))
    here.applier.apply([here.change('d/b', null)])
    expect(['a', 'b'].map((name) => readFileSync(join(outside, name), 'utf8'))).toEqual(['theirs', 'theirs'])
  })

  it.each([
    ['intended', 'replaced'],
    ['exchanged', 'replaced'],
    ['intended', 'deleted'],
    ['taken away', 'deleted'],
    ['intended', 'made executable'],
    ['mode set', 'made executable'],
    ['intended', 'created'],
    ['created', 'created'],
  ] as const)(
    'S2 a folder moved away at the step "%s" takes with it no file that was %s by us',
    (at, deed) => {
      const { here } = makeWorkspace(holds, (name, here) => {
        if (name === at && !existsSync(here.path('moved'))) renameSync(here.path('d'), here.path('moved'))
      })
      mkdirSync(here.path('d'))
      writeFileSync(here.path('d/file'), 'theirs', { mode: 0o644 })
      here.know('d/file')
      const before = here.known.get(pathOf('d/file'))
      const changes = {
        replaced: () => here.put('d/file', 'ours'),
        deleted: () => here.put('d/file', null),
        'made executable': () => here.put('d/file', 'theirs', '100755'),
        created: () => here.put('d/other', 'ours'),
      }
      expect(changes[deed]()).toEqual({ is: 'changed' })
      expect(here.known.get(pathOf('d/file'))).toEqual(before)
      // Where its name was all we had there is no way back into it; the log has what was replaced.
      if (!holds && ['exchanged', 'taken away', 'created'].includes(at)) return
      expect(here.tree()).toEqual({ 'moved/file': 'theirs' })
      expect(statSync(here.path('moved/file')).mode & 0o777).toBe(0o644)
    },
  )

  it('S13 nothing is written into another folder that took the place of the workspace', () => {
    const { here } = makeWorkspace(holds, () => {})
    expect(here.put('a', 'one')).toEqual({ is: 'done' })
    renameSync(here.root, `${here.root}-away`)
    mkdirSync(here.root)
    expect(here.put('b', 'two')).toMatchObject({ is: 'failed', code: 'ESTALE' })
    expect(readdirSync(here.root)).toEqual([])
    rmSync(here.root, { recursive: true })
    renameSync(`${here.root}-away`, here.root)
    expect(here.put('b', 'two')).toEqual({ is: 'done' })
  })

  it.each(['.farhand', '.farhand/incoming'])(
    'S6 %s is not followed when it becomes a link while files come',
    (part) => {
      const { here, outside } = makeWorkspace(holds, () => {})
      here.put('a', 'one')
      renameSync(here.path(part), here.path('moved'))
      const names = part === '.farhand' ? ['incoming'] : []
      const life = readdirSync(join(here.path('moved'), ...names)).find((name) => name.includes('-'))!
      mkdirSync(join(outside, ...names, life), { recursive: true })
      mkdirSync(join(outside, ...names, 'rescued'))
      symlinkSync(`${'../'.repeat(part.split('/').length)}outside`, here.path(part))
      const before = readdirSync(outside, { recursive: true }).sort()
      expect(here.put('b', 'two')).toMatchObject({ is: 'failed', code: 'ENOTDIR' })
      expect(here.put('a', 'two')).toMatchObject({ is: 'failed', code: 'ENOTDIR' })
      expect(here.letTimePass()).toEqual([])
      expect(readdirSync(outside, { recursive: true }).sort()).toEqual(before)
      rmSync(here.path(part))
      expect(here.put('b', 'two')).toEqual({ is: 'done' })
    },
  )
})

it('S6 plain renames lose no more to a folder that is held', () => {
  for (const renames of [() => plainRenames, systemRenames]) {
    const here = new WorkspaceUnderTest({ renames })
    expect(here.put('a/b/c', 'one')).toEqual({ is: 'done' })
    expect(here.put('a/b/c', 'two')).toEqual({ is: 'done' })
    expect(here.put('a/b/c', null)).toEqual({ is: 'done' })
    expect(here.tree()).toEqual({})
    here.applier.close()
    here.remove()
  }
})
