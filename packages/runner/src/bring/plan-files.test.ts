import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { describe, expect, it } from 'vitest'
import { type Known, planFiles } from './plan-files.ts'

const hash = (letter: string) => BlobHash.parse(`sha256_${letter.repeat(64)}`)
const [mine, older, own] = [hash('a'), hash('b'), hash('c')]
const file = { place: '/h/AGENTS.md', hash: mine, mode: '644' }

const decide = (known: Partial<Known> & { found?: BlobHash | 'other' | null }) => {
  const { put, same, kept, gone } = planFiles({
    wanted: [file],
    before: new Map(),
    there: () => known.found ?? null,
    isBrought: (one) => one === mine || one === older,
    ...known,
  })
  return [put.length && 'put', same.length && 'same', kept.length && 'kept', gone.length && 'gone'].filter(
    Boolean,
  )
}

describe('what was brought', () => {
  it.each([
    ['is put where nothing is', {}, ['put']],
    ['is not put twice', { found: mine }, ['same']],
    [
      'takes the place of what was brought before',
      { found: older, before: new Map([[file.place, older]]) },
      ['put'],
    ],
    ['takes the place of an older one that came back with the memory', { found: older }, ['put']],
    ['leaves what the agent wrote', { found: own }, ['kept']],
    ['leaves what the agent made of it', { found: own, before: new Map([[file.place, mine]]) }, ['kept']],
    ['does not come back when the agent has removed it', { before: new Map([[file.place, mine]]) }, ['kept']],
    ['takes the place of no folder and no link', { found: 'other' as const }, ['kept']],
    [
      'is removed when it is not brought any more',
      { wanted: [], found: mine, before: new Map([[file.place, mine]]) },
      ['gone'],
    ],
    [
      'stays when the agent has made it its own',
      { wanted: [], found: own, before: new Map([[file.place, mine]]) },
      [],
    ],
  ])('%s', (_, known, is) => {
    expect(decide(known)).toEqual(is)
  })
})
