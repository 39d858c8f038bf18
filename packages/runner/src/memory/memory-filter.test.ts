import { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'
import { describe, expect, it } from 'vitest'
import { knownAgents } from '../catalogue/catalogue.ts'
import { memoryFilter } from './memory-filter.ts'

const usual = memoryFilter(MemoryTerms.parse({}))

describe('the stored memory of an unknown agent', () => {
  it('is what it keeps, in any folder', () => {
    for (const path of ['a.json', '.mine/sessions/2026/one.jsonl', 'x/state.db', 'x/state.db-wal'])
      expect([path, usual.file(path)]).toEqual([path, true])
  })

  it('has no cache, no log and no temporary files', () => {
    const paths = ['.cache/x', 'x/Cache/y', 'a/logs/z', 'a.log', 'x.lock', 'x/state.db-shm', '.npm/x']
    for (const path of paths) expect([path, usual.file(path)]).toEqual([path, false])
    for (const path of ['.cache', 'a/node_modules']) expect(usual.folder(path)).toBe(false)
    expect(usual.folder('.mine/sessions')).toBe(true)
  })
})

describe('credentials', () => {
  const paths = [
    'auth.json',
    '.codex/auth.json',
    '.claude/.credentials.json',
    '.claude/.claude.json',
    '.claude/sessions/12.ab.key',
    '.gemini/oauth_creds.json',
    'x/API-TOKEN',
    '.ssh/config',
    '.config/gh/hosts.yml',
    '.bash_history',
  ]

  it('never travel, even if the terms include them', () => {
    const all = memoryFilter({ files: ['**'], never: [] })
    for (const path of paths) expect([path, all.file(path)]).toEqual([path, false])
  })

  it('never travel with an agent of the catalogue either', () => {
    for (const { memory } of knownAgents) {
      const { file } = memoryFilter(memory)
      expect(paths.filter(file)).toEqual([])
    }
  })
})

describe('a pattern', () => {
  it('means what it says and nothing more', () => {
    const { file } = memoryFilter({ files: ['a/*.db', 'b/**', 'c+d'], never: ['b/no/**'] })
    const paths = ['a/x.db', 'a/b/x.db', 'a/xadb', 'b/x/y', 'b/no/y', 'ccd', 'c+d', 'x/c+d', 'A/x.db']
    expect(paths.filter(file)).toEqual(['a/x.db', 'b/x/y', 'c+d'])
  })
})
