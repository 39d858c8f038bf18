import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { limits } from '@farhand/protocol/wire/limits'
import { writePatch } from '@farhand/protocol/wire/patch'
import { expect, it, onTestFinished } from 'vitest'
import { Assembler } from './assembler.ts'
import { workerSource } from './worker-source.ts'

const base = randomBytes(5_000_000)
const name = `sha256_${createHash('sha256').update(base).digest('hex')}` as BlobHash
const same = writePatch({ base: name, parts: [{ start: 0, end: base.length }] })

async function anAssembler(source = workerSource) {
  const dir = await mkdtemp(join(tmpdir(), 'farhand-assembler-'))
  const from = join(dir, 'from')
  await writeFile(from, base)
  const assembler = new Assembler(source)
  onTestFinished(async () => {
    await assembler.close()
    await rm(dir, { recursive: true })
  })
  let files = 0
  const make = async (patch: Uint8Array = same) => {
    const into = join(dir, `into ${++files}`)
    await writeFile(into, '')
    return { from, into, patch }
  }
  return { assembler, make }
}

it('W35 makes one file from another and a patch', async () => {
  const { assembler, make } = await anAssembler()
  const what = await make()
  expect(await assembler.assemble(what)).toBe(name)
  expect((await readFile(what.into)).equals(base)).toBe(true)
})

it('W35 assembles a blob that is asked for while the previous thread is ending', async () => {
  const { assembler, make } = await anAssembler()
  const [before, after] = [await make(), await make()]
  expect(await assembler.assemble(before)).toBe(name)
  const closing = assembler.close()
  expect(await assembler.assemble(after)).toBe(name)
  await closing
})

it('W35 fails for waiting callers when its thread ends, and works again for the next caller', async () => {
  const { assembler, make } = await anAssembler()
  const [before, caught, after] = [await make(), await make(), await make()]
  await assembler.assemble(before)
  const waiting = assembler.assemble(caught)
  const failed = expect(waiting).rejects.toThrow('has ended')
  // By now it has been handed over.
  await Promise.resolve()
  await assembler.close()
  await failed
  expect(await assembler.assemble(after)).toBe(name)
})

it('W35 works again after its thread could not start', async () => {
  let tries = 0
  const { assembler, make } = await anAssembler(async () => {
    if (++tries === 1) throw new Error('no such program')
    return workerSource()
  })
  await expect(assembler.assemble(await make())).rejects.toThrow('no such program')
  expect(await assembler.assemble(await make())).toBe(name)
})

it('W35 refuses a request above its limit at once, and takes others when earlier ones are done', async () => {
  const { assembler, make } = await anAssembler()
  const all = await Promise.all(Array.from({ length: limits.patchesWaiting + 1 }, () => make()))
  const last = all.pop()!
  const made = all.map((what) => assembler.assemble(what))
  await expect(assembler.assemble(last)).rejects.toMatchObject({ code: 'hub.busy' })
  expect(new Set(await Promise.all(made))).toEqual(new Set([name]))
  expect(await assembler.assemble(last)).toBe(name)
})

it('W35 refuses a request at once that would hold too many bytes', async () => {
  const { assembler, make } = await anAssembler()
  const large = new Uint8Array(limits.requestBytes)
  const most = limits.patchBytesWaiting / limits.requestBytes
  const all = await Promise.all(Array.from({ length: most + 1 }, () => make(large)))
  const last = all.pop()!
  const refused = all.map((what) => assembler.assemble(what).catch((error: Error) => error.message))
  await expect(assembler.assemble(last)).rejects.toMatchObject({ code: 'hub.busy' })
  expect(await Promise.all(refused)).toEqual(all.map(() => expect.stringContaining('not with 0')))
  expect(await assembler.assemble(await make())).toBe(name)
})
