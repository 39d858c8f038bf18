import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farhand-mounts-'))
  mkdirSync(join(folder, 'disk'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const own = (script: string, ...words: string[]) => [
  '--mount',
  '--map-root-user',
  'sh',
  '-c',
  script,
  'sh',
  ...words,
]
const canMount = spawnSync('unshare', own('mount -t tmpfs none /mnt')).status === 0

/** Runs a module in a process with mounts of its own, and gives what it put into `said`. */
async function withMounts(mounts: string, script: string): Promise<unknown> {
  const tests = JSON.stringify(new URL('./applier-under-test.ts', import.meta.url).href)
  const exchange = JSON.stringify(new URL('./renames.ts', import.meta.url).href)
  const module = `import * as fs from 'node:fs'
    import { WorkspaceUnderTest } from ${tests}
    import { plainRenames, systemRenames } from ${exchange}
    const said = []
    const folder = ${JSON.stringify(folder)}
    ${script}
    process.stdout.write(JSON.stringify(said))`
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', module]
  const words = own(`cd ${folder} && ${mounts} && cd "$1" && shift && "$@"`, process.cwd(), ...node)
  const child = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return JSON.parse(printed)
}

const done = { is: 'done' }

describe.runIf(canMount)('applying to other disks', () => {
  it('S6 a full disk leaves nothing half-written, and goes on when there is room again', async () => {
    const said = await withMounts(
      'mount -t tmpfs -o size=1m none disk',
      `const here = new WorkspaceUnderTest({}, folder + '/disk')
       here.put('old', 'x'.repeat(400_000))
       const answers = here.applier.apply([
         here.change('new/large', 'l'.repeat(3_000_000)),
         here.change('old', 'o'.repeat(700_000)),
         here.change('small', 's'),
       ])
       said.push(answers.map(({ is, code }) => [is, code]), Object.keys(here.tree()), here.tree().old.length)
       said.push(here.incoming())
       here.applier.close()
       here.newApplier()
       said.push(here.applier.leftBehind().map(({ path }) => path).sort())
       here.applier.settled()
       said.push(here.put('old', null).is, here.letTimePass(), here.put('new/large', 'l'.repeat(700_000)).is)`,
    )
    expect(said).toEqual([
      [
        ['failed', 'ENOSPC'],
        ['failed', 'ENOSPC'],
        ['done', null],
      ],
      ['old', 'small'],
      400_000,
      [],
      ['old', 'small'],
      'done',
      [],
      'done',
    ])
  })

  it('S6 a disk too full even to note what is intended changes nothing', async () => {
    const said = await withMounts(
      'mount -t tmpfs -o size=256k none disk',
      `const here = new WorkspaceUnderTest({}, folder + '/disk')
       const paths = Array.from({ length: 30 }, (_, n) => 'old' + n)
       here.applier.apply(paths.map((path) => here.change(path, 'x')))
       here.letTimePass()
       const hog = folder + '/disk/hog'
       try { fs.writeFileSync(hog, Buffer.alloc(1 << 20)) } catch {}
       const kept = paths.filter((path) => here.put(path, null).is === 'failed')
       said.push(kept.length > 0, Object.keys(here.tree()).sort().join() === kept.sort().join())
       fs.rmSync(hog)
       said.push(kept.filter((path) => here.put(path, null).is !== 'done'), here.tree())`,
    )
    expect(said).toEqual([true, true, [], {}])
  })

  it.each(['systemRenames', '() => plainRenames'])(
    'S6 a disk that is mounted inside of the workspace is written to as atomically (%s)',
    async (renames) => {
      const said = await withMounts(
        'mount -t tmpfs none disk && mkdir -p disk/a disk/b && mount -t tmpfs none disk/a',
        `const here = new WorkspaceUnderTest({ renames: ${renames} }, folder + '/disk/b')
         fs.mkdirSync(here.path('mnt'))
         const { execFileSync } = await import('node:child_process')
         execFileSync('mount', ['--bind', folder + '/disk/a', here.path('mnt')])
         const staged = here.applier.openStaged()
         here.applier.stageChunk(staged, Buffer.from('staged'))
         here.applier.closeStaged(staged)
         const { content, ...large } = here.change('mnt/large', 'staged')
         said.push(here.applier.apply([here.change('mnt/x/file', 'one'), here.change('mnt/link', 'x', '120000'), { ...large, staged }]))
         said.push([here.put('mnt/x/file', 'two'), here.put('mnt/link', 'y', '120000')], here.letTimePass(), here.tree())
         said.push([here.put('mnt/x/file', null), here.put('mnt/large', null)], here.letTimePass(), here.tree(), here.incoming())`,
      )
      expect(said).toEqual([
        [done, done, done],
        [done, done],
        [],
        { 'mnt/large': 'staged', 'mnt/link': '-> y', 'mnt/x/file': 'two' },
        [done, done],
        [],
        { 'mnt/link': '-> y' },
        [],
      ])
    },
  )
})
