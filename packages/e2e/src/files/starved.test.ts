import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LinkLine, LinkProcess } from '@farhand/testkit/link-process'
import { expect, it, onTestFinished } from 'vitest'
import { foldersOnAHub, type TwoFolders } from './two-folders.ts'

const linked = foldersOnAHub()

const sh = (script: string) => ['unshare', '--user', '--mount', '--map-root-user', 'sh', '-c', script, 'sh']
const fewWatches = sh('echo 5 > /proc/sys/user/max_inotify_watches && exec "$@"')
const smallDisk = (folder: string) =>
  sh(`mount -t tmpfs -o size=3m none '${folder}' && mkdir '${folder}/linked' && exec "$@"`)
const can = (under: string[]) => spawnSync(under[0]!, [...under.slice(1), 'true']).status === 0

/** A sandbox in a process of its own, for what must not happen to this one. */
async function poorSandbox(folders: TwoFolders, folder: string, under: string[]) {
  const state = join(folders.home, 'poor.state')
  const { hub, run } = folders
  const link = new LinkProcess({
    folder,
    state,
    run: run.run,
    hub: { url: hub.url, token: hub.token! },
    wins: 'log',
    under,
  })
  const lines: ((line: LinkLine) => void)[] = []
  link.heard = (line) => {
    for (const hear of lines) hear(line)
  }
  onTestFinished(async () => void (await link.kill()))
  await link.spawn()
  /** Resolves with the first line that fits, be it an old one. */
  const says = (fits: (line: LinkLine) => boolean) =>
    new Promise<LinkLine>((resolve) => {
      const said = link.said.find(fits)
      if (said) resolve(said)
      else lines.push((line) => fits(line) && resolve(line))
    })
  const wrote = (path: string) => says((line) => line.event === 'applied' && line.path === path)
  return { link, says, wrote }
}

it.runIf(can(fewWatches))(
  'S8 S9 a folder with more folders than the system lets us watch is scanned instead, and says so',
  async () => {
    const folders = await linked()
    const { laptop } = folders
    for (let n = 0; n < 20; n++) laptop.write(`f${n}/a.txt`, `${n}`)
    await laptop.start()
    await folders.settled()
    const folder = join(folders.home, 'poor')
    mkdirSync(folder)
    const { says, wrote } = await poorSandbox(folders, folder, fewWatches)
    await wrote('f19/a.txt')
    await says(({ event }) => event === 'blind')
    for (let n = 0; n < 20; n++) writeFileSync(join(folder, `f${n}/a.txt`), `from the sandbox ${n}`)
    for (let n = 0; n < 20; n++) await folders.heard(laptop, 'applied', ({ path }) => path === `f${n}/a.txt`)
    await folders.settled()
    expect(laptop.read('f19/a.txt')).toBe('from the sandbox 19')
  },
)

it('S8 changes for which the system dropped its events are found all the same', async () => {
  const folders = await linked()
  const { laptop } = folders
  laptop.write('kept.txt', 'kept')
  await laptop.start()
  await folders.settled()
  const folder = join(folders.home, 'poor')
  mkdirSync(folder)
  const { link, wrote } = await poorSandbox(folders, folder, [])
  await wrote('kept.txt')
  process.kill(link.pid!, 'SIGSTOP')
  // The queue holds 16,384 events. It is full long before the last file is written, so the system reports nothing of that.
  for (const name of ['one.txt', 'two.txt']) writeFileSync(join(folder, name), name)
  for (let n = 0; n < 20_000; n++) utimesSync(join(folder, n % 2 ? 'one.txt' : 'two.txt'), n, n)
  mkdirSync(join(folder, 'late/r'), { recursive: true })
  writeFileSync(join(folder, 'late/r/three.txt'), 'three')
  writeFileSync(join(folder, 'kept.txt'), 'edited last')
  process.kill(link.pid!, 'SIGCONT')
  await folders.heard(laptop, 'applied', ({ path }) => path === 'late/r/three.txt')
  await folders.heard(laptop, 'applied', ({ path }) => path === 'kept.txt')
  await folders.settled()
  expect(laptop.read('kept.txt')).toBe('edited last')
  expect(laptop.read('two.txt')).toBe('two.txt')
})

it.runIf(can(smallDisk('/mnt')))(
  'S6 a full disk leaves every file whole, says so, and goes on when there is room',
  async () => {
    const folders = await linked()
    const { laptop } = folders
    laptop.write('a.txt', 'a')
    await laptop.start()
    await folders.settled()
    const disk = join(folders.home, 'disk')
    mkdirSync(disk)
    const { link, says, wrote } = await poorSandbox(folders, join(disk, 'linked'), smallDisk(disk))
    await wrote('a.txt')
    // Other processes see that disk only through the process that is on it.
    const there = `/proc/${link.pid}/root${disk}`
    writeFileSync(`${there}/filler`, Buffer.alloc(2 * 1024 * 1024))
    laptop.replace('small.txt', 'x'.repeat(300_000))
    await wrote('small.txt')
    laptop.replace('large.bin', Buffer.alloc(1_500_000, 'large'))
    laptop.replace('a.txt', 'edited'.repeat(200_000))
    await says(({ event }) => event === 'trouble')
    expect(['a', 'edited'.repeat(200_000)]).toContain(readFileSync(`${there}/linked/a.txt`, 'utf8'))
    rmSync(`${there}/filler`)
    await says(({ event, path, deed }) => event === 'applied' && path === 'a.txt' && deed === 'modified')
    await wrote('large.bin')
    expect(readFileSync(`${there}/linked/a.txt`, 'utf8')).toBe(laptop.read('a.txt'))
    expect(readFileSync(`${there}/linked/large.bin`, 'utf8')).toBe(laptop.read('large.bin'))
    expect(link.complaints).toBe('')
  },
)
