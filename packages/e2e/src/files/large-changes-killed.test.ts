import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { HubProcess } from '@farhand/testkit/hub-process'
import { LinkProcess } from '@farhand/testkit/link-process'
import { expect, it, onTestFinished } from 'vitest'

/** Large enough that the process that makes it can be killed half-way. */
const bytes = 48 * 1024 * 1024 + 321
/** On a busy machine the process to be killed is often done before the test gets to look. */
const mostTries = 20
const patienceMs = 120_000
const timeout = 600_000
const hashOf = (content: Uint8Array) => `sha256_${createHash('sha256').update(content).digest('hex')}`

/** A hub and two linked folders, each a process of its own, that have the same large file. */
async function threeProcesses() {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'farhand-killed-patch-')))
  const hub = await HubProcess.start({ data: join(home, 'hub') })
  const started: { kill(): Promise<unknown> }[] = [hub]
  onTestFinished(async () => {
    for (const one of started) await one.kill()
    await rm(home, { recursive: true, force: true })
  })
  const project = await createProject(hub, { name: 'p' })
  const task = await createTask(hub, project.id, { title: 't' })
  const { run } = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
  const link = async (name: string, wins: 'disk' | 'log') => {
    const folder = join(home, name)
    mkdirSync(folder)
    const made = new LinkProcess({ folder, state: `${folder}.state`, run, hub, wins })
    started.push(made)
    await made.spawn()
    return made
  }
  const [sender, receiver] = [await link('laptop', 'disk'), await link('sandbox', 'log')]
  const large = ({ folder }: LinkProcess) => join(folder, 'large.bin')
  let content = randomBytes(bytes)
  // At once: of a file that is seen half written the link would send that half, and then nothing is as it was before.
  const write = () => {
    writeFileSync(join(home, 'next'), content)
    renameSync(join(home, 'next'), large(sender))
  }
  const arrived = () =>
    heardUntil(receiver, () => {
      return sizeOf(large(receiver)) === bytes && readFileSync(large(receiver)).equals(content)
    })
  write()
  await arrived()
  return {
    hub,
    receiver,
    arrived,
    /** Changes one byte; gives back the content before and after. */
    change() {
      const before = content
      content = Buffer.from(before)
      content[bytes >> 1]! ^= 1 + (randomBytes(1)[0]! % 255)
      write()
      return { before, after: content }
    },
    received: () => readFileSync(large(receiver)),
    stored: (name: string) => existsSync(join(hub.data, 'files', name.slice(7, 9), name)),
  }
}

/** Looks whenever the link has said something. */
async function heardUntil(link: LinkProcess, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const news = new Promise<void>((resolve) => {
      link.heard = () => resolve()
    })
    if (isSo()) return
    const leftMs = deadline - performance.now()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it did not arrive: ${link.complaints}`)), leftMs)
    })
    await Promise.race([news, late]).finally(() => clearTimeout(timer))
  }
}

/** How many large files are not whole in a folder and below it. What is small is a note about others. */
function halfIn(folder: string): number {
  if (!existsSync(folder)) return 0
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    entry.isFile() ? sizeOf(join(entry.parentPath, entry.name)) : 0,
  )
  return sizes.filter((size) => size > 100_000 && size < bytes).length
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Whether something was seen in the making there before all was done. */
async function isCaught(folder: string, done: Promise<unknown>): Promise<boolean> {
  let isDone = false
  const ended = () => {
    isDone = true
  }
  done.then(ended, ended)
  while (!isDone) {
    if (halfIn(folder) > 0) return true
    await turn()
  }
  return false
}

it('S6 W35 a hub that is killed while it makes a blob of a patch has nothing of it, and makes it when it is back', {
  timeout,
}, async () => {
  const { hub, change, arrived, stored } = await threeProcesses()
  const incoming = join(hub.data, 'files', 'incoming')
  for (let tries = 1; ; tries++) {
    const { after } = change()
    // It may be made before the test could look.
    const done = arrived()
    const caught = await isCaught(incoming, done)
    if (caught) await hub.kill()
    const isHalf = caught && !stored(hashOf(after))
    if (caught) await hub.spawn()
    await done
    expect(stored(hashOf(after))).toBe(true)
    expect(halfIn(incoming)).toBe(0)
    // Killed when the blob had its name, it may not have come to the patch, which is not sent again.
    if (isHalf || !caught) expect(stored(`${hashOf(after)}.patch`)).toBe(true)
    if (isHalf) return
    expect(tries).toBeLessThan(mostTries)
  }
})

it('S6 W35 a link that is killed while it makes a file of a patch has the old one, and gets the new one when it is back', {
  timeout,
}, async () => {
  const { receiver, change, arrived, received, stored } = await threeProcesses()
  const incoming = join(receiver.folder, '.farhand', 'incoming')
  for (let tries = 1; ; tries++) {
    const { before, after } = change()
    const done = arrived()
    const caught = await isCaught(incoming, done)
    if (caught) await receiver.kill()
    const isHalf = caught && halfIn(incoming) > 0
    if (isHalf) expect(received().equals(before)).toBe(true)
    if (caught) await receiver.spawn()
    await done
    expect(received().equals(after)).toBe(true)
    expect(stored(`${hashOf(after)}.patch`)).toBe(true)
    expect(halfIn(incoming)).toBe(0)
    if (isHalf) return
    expect(tries).toBeLessThan(mostTries)
  }
})
