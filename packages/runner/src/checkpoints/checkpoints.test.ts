import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hubForTests, RunUnderTest } from '@farhand/sync/run-under-test'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventsOf, PlaceUnderTest } from './place-under-test.ts'

let hub: Awaited<ReturnType<typeof hubForTests>>
beforeAll(async () => {
  hub = await hubForTests()
})
afterAll(() => hub.close())

function place(): PlaceUnderTest {
  const place = new PlaceUnderTest()
  onTestFinished(() => place.die())
  return place
}

const said = async (run: RunUnderTest, method: string) =>
  (await eventsOf(run)).flatMap(({ notification }) =>
    notification.method === method ? [notification.params as Record<string, unknown>] : [],
  )

const filesTold = async (run: RunUnderTest) =>
  (await eventsOf(run)).filter(({ notification }) => /file_(change|kept)$/.test(notification.method)).length

describe('a workspace in a place that is gone', { timeout: 60_000 }, () => {
  it('S15 is in the next place as it was: files, modes, links, branches, what is staged, a stash and what git was at', async () => {
    const run = await RunUnderTest.on(hub.hub)
    const one = await place().begin(run)
    one.git('init', '-q', '-b', 'main')
    for (let n = 0; n < 30; n += 1) one.write(`src/${n % 4}/file ${n}.txt`, `content ${n}\r\n`)
    one.write('.gitattributes', '*.txt text eol=crlf\n*.md ident\n')
    one.write('.gitignore', 'ignored\n')
    one.write('run.sh', '#!/bin/sh\n', 0o755)
    symlinkSync('src/0', join(one.root, 'link'))
    one.git('add', '.')
    one.git('commit', '-q', '-m', 'first')
    one.git('tag', '-a', '-m', 'a tag', 'v1')
    one.git('remote', 'add', 'origin', 'https://me:secret@example.org/x.git')
    one.git('branch', 'other')
    one.write('stashed', 'x')
    one.git('add', 'stashed')
    one.git('stash', '-q')
    one.write('src/0/file 0.txt', 'changed')
    one.write('staged', 'staged')
    one.git('add', 'staged')
    one.write('staged', 'and changed again')
    one.write('odd "name"\n.txt', 'x')
    one.write('ignored', 'not synced')
    await one.checkpoint()
    one.write('after.txt', 'after the checkpoint')
    one.write('.git-like', 'x')
    rmSync(join(one.root, 'src/1/file 1.txt'))
    await one.settled()
    const [files, shown] = [one.files(), one.shown]
    delete files.ignored
    await one.die()
    await run.device('laptop', { path: 'from-device', text: 'hello' })
    const told = await filesTold(run)

    const two = await place().begin(run)
    expect(two.brought.sort()).toEqual(['.git-like', 'after.txt', 'from-device'])
    expect(await filesTold(run)).toBe(told)
    const { 'from-device': fromDevice, ...rest } = two.files()
    expect(fromDevice).toBeDefined()
    expect(rest).toEqual(files)
    rmSync(join(two.root, 'from-device'))
    expect(two.shown).toEqual({ ...shown, remotes: shown.remotes!.replaceAll('me:secret@', '') })
    expect(await said(run, '_posthog/session_restored')).toMatchObject([{ files: 38, missing: [] }])
  })
})
