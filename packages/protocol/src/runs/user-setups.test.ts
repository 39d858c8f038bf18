import { describe, expect, it } from 'vitest'
import { blobsNamed } from '../events/blobs-named.ts'
import { sampleHash } from '../events/sample-log.ts'
import { UserSetup } from '../methods/setup.ts'
import { UserSetups } from './user-setups.ts'

const file = (path: string, content: string) => ({
  path,
  hash: sampleHash(content),
  mode: '644',
  size: content.length,
})
const brought = (...items: object[]) => ({
  notification: { jsonrpc: '2.0' as const, method: '_posthog/user_setup', params: { items } },
})

describe('W45 what people bring', () => {
  it('is what was said last, and what was said before is still known to be theirs', () => {
    const setups = new UserSetups()
    expect(setups.newest).toBeNull()
    setups.take(brought(file('.agents/AGENTS.md', 'a')))
    setups.take(brought(file('.agents/AGENTS.md', 'b')))
    setups.take(brought({ path: '../escape', hash: sampleHash('x') }))
    expect(setups.newest?.items.map(({ hash }) => hash)).toEqual([sampleHash('b')])
    expect(['a', 'b', 'x'].map((content) => setups.hasBrought(sampleHash(content)))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('names its blobs, so that they are there before it and stay as long as the run', () => {
    const { notification } = brought(file('.agents/AGENTS.md', 'a'), file('.claude/CLAUDE.md', 'b'))
    expect(blobsNamed(notification)).toEqual([sampleHash('a'), sampleHash('b')])
  })

  it.each([
    ['leaves the home', { path: '../x' }],
    ['is absolute', { path: '/etc/x' }],
    ['may do more than be run', { mode: '4755' }],
    ['is too large', { size: 1024 ** 2 + 1 }],
  ])('is refused if a file %s', (_, wrong) => {
    const items = [{ ...file('.agents/AGENTS.md', 'a'), ...wrong }]
    expect(UserSetup.safeParse({ items }).success).toBe(false)
  })

  it('is refused if all of it is too much', () => {
    const items = Array.from({ length: 11 }, (_, n) => ({ ...file(`.agents/${n}`, 'a'), size: 1024 ** 2 }))
    expect(UserSetup.safeParse({ items }).success).toBe(false)
    expect(UserSetup.safeParse({ items: items.slice(1) }).success).toBe(true)
  })
})
