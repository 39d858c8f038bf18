import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { at, fileOf, WorkspaceUnderTest } from './applier-under-test.ts'
import { plainRenames, type Renames, systemRenames } from './renames.ts'

/** What another program may do to the file at the wrong moment, with a version of its own. */
const acts = {
  'save by rename': (file: string, text: string) => {
    writeFileSync(join(file, '../../spare'), text)
    renameSync(join(file, '../../spare'), file)
  },
  'write in place': (file: string, text: string) => writeFileSync(file, text),
  'write in place and set the time back': (file: string, text: string) => {
    const before = existsSync(file) ? statSync(file) : null
    writeFileSync(file, text)
    if (before) utimesSync(file, before.atimeMs / 1000, before.mtimeMs / 1000)
  },
  'write to the file they had opened before': (_file: string, text: string, handle: number | null) => {
    if (handle !== null) writeSync(handle, text, 0)
  },
  delete: (file: string) => rmSync(file, { force: true }),
  'put a folder there': (file: string, text: string) => {
    rmSync(file, { force: true, recursive: true })
    mkdirSync(file)
    writeFileSync(join(file, 'inside'), text)
  },
}
type Act = keyof typeof acts

const deeds = {
  create: { before: null, after: 'ours' },
  replace: { before: 'before 0', after: 'ours' },
  delete: { before: 'before 0', after: null },
  'change the mode of': { before: 'before 0', after: 'before 0' },
} as const

class Crash extends Error {}

type Plan = {
  deed: keyof typeof deeds
  renames: () => Renames
  /** Which act at which step. */
  doings: { at: number; act: Act }[]
  /** The step at which this life ends; never, if there is no such step. */
  crashAt: number
  racy: boolean
}

function play({ deed, renames, doings, crashAt, racy }: Plan) {
  const { before, after } = deeds[deed]
  let steps = 0
  let handle: number | null = null
  const written = new Set<string>()
  const file = () => here.path('file')
  const doIt = (act: Act) => {
    const there = lstatSync(file(), { throwIfNoEntry: false })
    const old = there?.isFile() ? readFileSync(file(), 'utf8') : null
    // A folder cannot be written to, nor can a file that the program has not opened.
    if (there?.isDirectory() && act !== 'delete' && act !== 'put a folder there') return
    if (there?.isDirectory()) rmSync(file(), { recursive: true })
    if (act === 'write to the file they had opened before') {
      if (handle === null || old?.startsWith('theirs')) return
      // What they have in hand may be a version of their own that lost its name.
      if (written.size > 0) return
    } else if (old !== null) written.delete(old)
    const text = `theirs ${written.size + 1}`
    acts[act](file(), text, handle)
    if (act !== 'delete') written.add(text)
  }
  const step = () => {
    steps++
    for (const doing of doings) if (doing.at === steps) doIt(doing.act)
    if (steps === crashAt) throw new Crash()
  }
  const here = new WorkspaceUnderTest({ renames, step })
  if (before !== null) {
    writeFileSync(file(), before)
    here.know('file')
    handle = openSync(file(), 'r+')
    if (racy) here.known.set(at('file'), { ...here.known.get(at('file'))!, stamp: 0 })
  }
  const change = here.change('file', after, deed === 'change the mode of' ? '100755' : '100644')
  let left: ReturnType<typeof here.applier.leftBehind> | null = null
  try {
    here.applier.apply([change])
  } catch (error) {
    if (!(error instanceof Crash)) throw error
    steps = Number.NEGATIVE_INFINITY
    left = here.newApplier().leftBehind()
    // A second crash before anything was noted must not change what is told.
    expect(here.newApplier().leftBehind()).toEqual(left)
  }
  const rescued = here.letTimePass()
  if (handle !== null) closeSync(handle)
  const tree = here.tree()
  const incoming = here.incoming().filter((name) => !/^[0-9a-f]{16}(\.json)?$/.test(name))
  const lives = readdirSync(here.path('.farhand/incoming')).filter((name) => name !== 'rescued')
  here.applier.close()
  here.remove()
  const found = new Set([...Object.values(tree), ...rescued])
  return {
    left,
    rescued,
    tree,
    incoming,
    lives,
    steps,
    lost: [...written].filter((text) => !found.has(text)),
  }
}

const ways = { 'with names that can be traded': systemRenames, 'with plain renames': () => plainRenames }

describe.each(Object.entries(ways))('%s', (_way, renames) => {
  describe.each(Object.keys(deeds) as (keyof typeof deeds)[])('while we %s a file', (deed) => {
    const { before, after } = deeds[deed]
    const base: Plan = { deed, renames, doings: [], crashAt: 0, racy: false }
    const { steps } = play(base)
    const losesNothing = (plan: Plan) => {
      const { lost, incoming } = play(plan)
      expect({ lost, incoming }, JSON.stringify(plan)).toEqual({ lost: [], incoming: [] })
    }

    it('S6 a crash between any two steps leaves the old or the new, and the next life knows which', () => {
      for (let crashAt = 1; crashAt <= steps; crashAt++) {
        const { left, tree, rescued, incoming, lives } = play({ ...base, crashAt })
        const isDone = left!.length === 1
        const mode = deed === 'change the mode of' ? '100755' : '100644'
        const entry = after === null ? null : fileOf(after, mode)
        expect(left).toEqual(isDone ? [{ path: 'file', entry }] : [])
        const expected = isDone ? after : before
        expect(tree, `crash at ${crashAt}`).toEqual(expected === null ? {} : { file: expected })
        expect({ rescued, incoming, lives }).toEqual({ rescued: [], incoming: [], lives: [] })
      }
    })

    describe.each(Object.keys(acts) as Act[])(
      'S4 another program may %s at any step and loses nothing',
      (act) => {
        it('if all goes well', () => {
          for (const racy of [false, true]) {
            for (let at = 1; at <= steps; at++) losesNothing({ ...base, doings: [{ at, act }], racy })
          }
        })

        it('if we are killed at that step or a later one', () => {
          for (let at = 1; at <= steps; at++) {
            for (let crashAt = at; crashAt <= steps + 2; crashAt++) {
              losesNothing({ ...base, doings: [{ at, act }], crashAt })
            }
          }
        })

        it('if they save once more at that step or a later one', () => {
          for (let at = 1; at <= steps; at++) {
            for (let again = at; again <= steps + 2; again++) {
              const doings: Plan['doings'] = [
                { at, act },
                { at: again, act: 'save by rename' },
              ]
              losesNothing({ ...base, doings })
            }
          }
        })
      },
    )
  })
})
