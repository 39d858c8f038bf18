import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { planToBring, planToPut } from './restore-plan.ts'

const hash = (digit: string) => BlobHash.parse(`sha256_${digit.repeat(64)}`)
const file = (path: string, eventId: number, digit = '1', mode: '100644' | '100755' = '100644') => ({
  path: WorkspacePath.parse(path),
  eventId,
  entry: { mode, hash: hash(digit) },
})
const tree = (upTo: number, ...paths: string[]) => ({
  upTo,
  missing: new Set<string>(),
  modes: new Map(paths.map((path) => [path, '100644'])),
})
const names = (files: { path: string }[]) => files.map(({ path }) => path)

describe('what is put back from a checkpoint', () => {
  it('S15 is what no later event changed; what one did, and what was deleted since, is not', () => {
    const plan = planToPut([file('old', 5), file('new', 15)], tree(10, 'old', 'new', 'deleted'))
    expect([names(plan.put), names(plan.compare), names(plan.bring)]).toEqual([['old'], [], ['new']])
  })

  it('is not what it could not have, has under another mode, or does not have', () => {
    const known = { ...tree(10, 'missing', 'mode'), missing: new Set(['missing']) }
    const plan = planToPut([file('missing', 1), file('mode', 1, '1', '100755'), file('none', 1)], known)
    expect(names(plan.put)).toEqual([])
    expect(names(plan.bring)).toEqual(['missing', 'mode', 'none'])
  })

  it('W40 is only compared where it comes from a base, of which no event says that it is the same', () => {
    const plan = planToPut([file('a', 3)], tree(0, 'a', 'b'))
    expect([names(plan.put), names(plan.compare), names(plan.bring)]).toEqual([[], ['a'], []])
  })
})

describe('what is brought after that', () => {
  it('W25 is what the hub has; what it has lost is as the checkpoint has it, or lost', () => {
    const files = [
      { file: file('same', 1, '1'), found: { mode: '100644' as const, hash: hash('1') } },
      { file: file('there', 1, '2'), found: null },
      { file: file('gone', 1, '3'), found: null },
      { file: file('nowhere', 1, '3'), found: null },
    ]
    const plan = planToBring(files, tree(0, 'gone').modes, (one) => one === hash('3'))
    expect([names(plan.fetch), plan.asOnce, names(plan.lost)]).toEqual([['there'], ['gone'], ['nowhere']])
  })
})
