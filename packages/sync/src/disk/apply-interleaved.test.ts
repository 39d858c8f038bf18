import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { at, fileOf, WorkspaceUnderTest } from './apply-under-test.ts'
import { plainRenames, type Renames, systemRenames } from './exchange.ts'

/** What somebody else may do to the file at the wrong moment. Those that write leave `theirs` behind. */
const acts = {
  nothing: () => {},
  'save by rename': (file: string) => {
    writeFileSync(join(file, '../../spare'), 'theirs')
    renameSync(join(file, '../../spare'), file)
  },
  'write in place': (file: string) => writeFileSync(file, 'theirs'),
  'write to the file it had opened before': (_: string, handle: number | null) => {
    if (handle !== null) writeSync(handle, 'theirs', 0)
  },
  delete: (file: string) => rmSync(file, { force: true }),
  'put a folder there': (file: string) => {
    rmSync(file, { force: true })
    mkdirSync(file)
    writeFileSync(join(file, 'inside'), 'theirs')
  },
} as const
type Act = keyof typeof acts

const deeds = {
  create: { before: null, after: 'ours' },
  replace: { before: 'seen', after: 'ours' },
  delete: { before: 'seen', after: null },
  'change the mode of': { before: 'seen', after: 'seen' },
} as const

class Crash extends Error {}

type Plan = {
  deed: keyof typeof deeds
  renames: () => Renames
  act: Act
  actAt: number
  /** The step at which this life ends; never, if there is no such step. */
  crashAt: number
  racy: boolean
}

function play({ deed, renames, act, actAt, crashAt, racy }: Plan) {
  const { before, after } = deeds[deed]
  let steps = 0
  let handle: number | null = null
  let acted = false
  const file = () => here.path('file')
  const step = () => {
    steps++
    if (steps === actAt) {
      acted = true
      acts[act](file(), handle)
    }
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
  let answer: string | null = null
  let left: ReturnType<typeof here.applier.leftBehind> | null = null
  try {
    answer = here.applier.apply([change])[0]!.is
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
  return {
    answer,
    left,
    rescued,
    tree,
    incoming,
    lives,
    steps,
    acted,
    wrote: acted && act !== 'nothing' && act !== 'delete',
  }
}

const ways = { 'with names that can be traded': systemRenames, 'with plain renames': () => plainRenames }

describe.each(Object.entries(ways))('%s', (_way, renames) => {
  describe.each(Object.keys(deeds) as (keyof typeof deeds)[])('while we %s a file', (deed) => {
    const { before, after } = deeds[deed]
    let length: number | undefined
    const base: Plan = { deed, renames, act: 'nothing', actAt: 0, crashAt: 0, racy: false }
    const steps = () => {
      length ??= play(base).steps
      return length
    }

    it('S6 a crash between any two steps leaves the old or the new, and the next life knows which', () => {
      for (let crashAt = 1; crashAt <= steps(); crashAt++) {
        const { left, tree, rescued, incoming, lives } = play({ ...base, crashAt })
        const isDone = left!.length === 1
        const mode = deed === 'change the mode of' ? '100755' : '100644'
        if (isDone)
          expect(left).toEqual([{ path: 'file', entry: after === null ? null : fileOf(after, mode) }])
        const expected = isDone ? after : before
        expect(tree, `crash at ${crashAt}`).toEqual(expected === null ? {} : { file: expected })
        expect({ rescued, incoming, lives }).toEqual({ rescued: [], incoming: [], lives: [] })
      }
    })

    it.each((Object.keys(acts) as Act[]).slice(1))(
      'S4 whoever decides to %s at any step loses nothing',
      (act) => {
        for (const racy of [false, true]) {
          for (let actAt = 1; actAt <= steps(); actAt++) {
            for (let crashAt = actAt - 1; crashAt <= (racy ? 0 : steps() + 2); crashAt++) {
              // First without a crash, then with one at this step or a later one.
              const plan = { ...base, act, actAt, racy, crashAt: crashAt < actAt ? 0 : crashAt }
              const { tree, rescued, wrote, incoming } = play(plan)
              const isHandle = act === 'write to the file it had opened before'
              if (wrote && !(isHandle && before === null)) {
                expect([...Object.values(tree), ...rescued], JSON.stringify(plan)).toContain('theirs')
              }
              expect(incoming, JSON.stringify(plan)).toEqual([])
            }
          }
        }
      },
    )
  })
})
