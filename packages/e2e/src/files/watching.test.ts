import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { bothWays, foldersOnAHub } from './two-folders.ts'

const linked = foldersOnAHub()

/** Keeps this thread from doing anything else, as a long computation would. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

describe.each(bothWays)('the $here watches its folder', ({ here, there }) => {
  it('S8 and misses nothing of a burst that comes while this process hears nothing for four seconds', async () => {
    const folders = await linked()
    await folders.begin()
    const number = inject('long') ? 20_000 : 700
    for (let n = 0; n < number; n++) folders[here].write(`burst/${n % 60}/${n % 3}/${n}.txt`, `${n}`)
    block(4000)
    expect((await folders.settled()).size).toBe(number + 1)
  })

  it('S8 and finds files in folders that are made faster than they can be watched', async () => {
    const folders = await linked()
    await folders.begin()
    for (let n = 0; n < 90; n++) folders[here].write(`deep/${n}/${n}/${n}/${n}/file.txt`, `${n}`)
    const tree = await folders.settled()
    expect(tree.size).toBe(91)
    for (let n = 0; n < 90; n++)
      writeFileSync(folders[here].at(`deep/${n}/${n}/${n}/${n}/file.txt`), 'edited')
    await folders.settled()
    expect(folders[there].read('deep/89/89/89/89/file.txt')).toBe('edited')
  })

  it('S8 and a burst of more changes than the system tells of ends with the right files', async () => {
    const folders = await linked()
    await folders.begin()
    mkdirSync(folders[here].at('flat'))
    // A long drill writes more than the 16,384 events that the system remembers for us.
    const number = inject('long') ? 30_000 : 500
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < number; n++) writeFileSync(folders[here].at(`flat/${n}`), `${n} ${round}`)
    }
    expect((await folders.settled()).size).toBe(number + 1)
    expect(folders[there].read('flat/17')).toBe('17 4')
  }, 300_000)

  it('S2 and a file that is appended to without end keeps no other waiting', async () => {
    const folders = await linked()
    await folders.begin({ 'out.log': '' })
    const began = performance.now()
    const enough = new AbortController()
    onTestFinished(() => enough.abort())
    const appending = (async () => {
      for (let n = 0; !enough.signal.aborted; n++) {
        appendFileSync(folders[here].at('out.log'), `line ${n}\n`.repeat(100))
        await sleep(1)
      }
    })()
    for (let n = 0; n < 20; n++) {
      folders[here].write(`other-${n}.txt`, `${n}`)
      await folders.heard(folders[there], 'applied', ({ path }) => path === `other-${n}.txt`)
      folders[there].write(`back-${n}.txt`, `${n}`)
      await folders.heard(folders[here], 'applied', ({ path }) => path === `back-${n}.txt`)
    }
    enough.abort()
    await appending
    await folders.settled()
    expect(folders[there].read('out.log')).toBe(folders[here].read('out.log'))
    const events = (await folders.events()).filter((event) => JSON.stringify(event).includes('out.log'))
    // A file that grows a thousand times a second is not sent a thousand times a second; a machine that takes its time
    // appends with pauses, and what pauses may be heard of up to fifty times a second.
    const seconds = (performance.now() - began) / 1000
    expect(events.length).toBeLessThan(200 + 50 * seconds)
  })

  it('S5 and a large file that grows while it is hashed arrives as it is in the end', async () => {
    const folders = await linked()
    await folders.begin()
    const piece = Buffer.alloc(1024 * 1024, 'x')
    for (let n = 0; n < 12; n++) {
      appendFileSync(folders[here].at('growing.bin'), piece)
      await sleep(5)
    }
    appendFileSync(folders[here].at('growing.bin'), 'the end')
    await folders.settled()
    expect(folders[there].read('growing.bin').length).toBe(12 * piece.length + 7)
  })
})
