import { expect, it } from 'vitest'
import { type OlderOptions, olderContents } from './older-contents.ts'
import { RepositoryUnderTest } from './repository-under-test.ts'

async function look(repository: RepositoryUnderTest, more: Partial<OlderOptions> = {}) {
  const found: Record<string, string[]> = {}
  const looked = await olderContents(repository.folder, {
    env: repository.env,
    signal: new AbortController().signal,
    known: [],
    isWorthReading: (path, bytes) => !path.endsWith('.bin') && bytes <= 100,
    take: ({ path, text }) => (found[path] = [...(found[path] ?? []), text]),
    ...more,
  })
  return { ...looked, found }
}

it('is what commits and index have and the files have not, and nothing of what they have', async () => {
  const repository = new RepositoryUnderTest()
  repository.commit({ 'a.txt': 'first', 'sub/gone.env': 'KEY=1', 'same.txt': 'same', 'x.bin': 'x' }, 'one')
  repository.git('rm', '--quiet', 'sub/gone.env', 'x.bin')
  repository.commit({ 'a.txt': 'second' }, 'two')
  repository.write({ 'a.txt': 'staged' })
  repository.git('add', 'a.txt')
  repository.write({ 'a.txt': 'now' })
  const { found, ...looked } = await look(repository)
  const { 'a.txt': versions, ...others } = found
  expect(versions?.sort()).toEqual(['first', 'second', 'staged'])
  expect(others).toEqual({ 'sub/gone.env': ['KEY=1'] })
  const head = repository.git('rev-parse', 'HEAD')
  expect(looked).toEqual({ tips: [head], unread: 0, unreadCommits: 0 })

  // What was looked into before is not looked into again; what came since is.
  expect(await look(repository, { known: [head] })).toMatchObject({ found: {}, tips: [head] })
  repository.commit({ 'a.txt': 'third', 'b.txt': 'b' }, 'three')
  repository.commit({ 'b.txt': 'c' }, 'four')
  // One that is not there any more is no reason to see nothing.
  const gone = '1234567890'.repeat(4)
  expect((await look(repository, { known: [head, gone] })).found).toEqual({ 'b.txt': ['b'] })
})

it('looks into what has come to another branch that goes along, also if HEAD is where it was', async () => {
  const repository = new RepositoryUnderTest()
  repository.commit({ 'a.txt': 'first' }, 'one')
  repository.git('checkout', '--quiet', '-b', 'work')
  repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  repository.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  const { tips } = await look(repository)
  // As a fetch does it.
  repository.commit({ 'gone.env': 'KEY=1' }, 'two')
  repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  repository.git('reset', '--quiet', '--hard', 'HEAD~1')
  const news = repository.git('rev-parse', 'origin/main')
  const looked = await look(repository, { known: tips! })
  expect(looked).toMatchObject({ found: { 'gone.env': ['KEY=1'] } })
  expect(looked.tips).toContain(news)
})

it('has bounds, the newest comes first, and what was not read is counted', async () => {
  const repository = new RepositoryUnderTest()
  for (const text of ['one', 'two', 'long'.repeat(50), 'three', 'four']) repository.commit({ f: text }, text)
  expect(await look(repository)).toMatchObject({ found: { f: ['three', 'two', 'one'] }, unread: 1 })
  expect(await look(repository, { mostBytes: 9 })).toMatchObject({
    found: { f: ['three', 'two'] },
    unread: 2,
  })
  expect(await look(repository, { mostCommits: 2 })).toMatchObject({ found: { f: ['three'] } })
  const { unreadCommits } = await look(repository, { mostCommits: 2 })
  expect(unreadCommits).toBe(Number(repository.git('rev-list', '--count', 'HEAD')) - 2)
})

it('is nothing where there is no repository, or none whose commits go along', async () => {
  const repository = new RepositoryUnderTest()
  const folder = repository.home
  const options = { env: repository.env, signal: new AbortController().signal, known: [] }
  const worth = { isWorthReading: () => true, take: () => expect.fail('there is nothing') }
  expect(await olderContents(folder, { ...options, ...worth })).toBeNull()
})
