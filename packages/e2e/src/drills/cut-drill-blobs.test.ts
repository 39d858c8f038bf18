import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { downloadBlob, readBlob } from '@farhand/client/blobs/download-blob'
import { hashOf } from '@farhand/client/blobs/sha256'
import { type BlobSource, uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { badNetwork } from '@farhand/testkit/bad-network'
import { Dice } from '@farhand/testkit/dice'
import { HubProcess } from '@farhand/testkit/hub-process'
import { mishaps, type NetworkConditions } from '@farhand/testkit/mishaps'
import { expect, inject, it, onTestFinished } from 'vitest'

const many = inject('long') ? 1000 : 60
const patient = { answerMs: 300, patienceMs: 300_000, backoff: { firstMs: 5, maxMs: 50 } }

/** A run at the end of a good road and of a bad one. */
async function roads(seed: number, within: NetworkConditions['within']) {
  const process = await HubProcess.start()
  const network = await badNetwork({ port: process.port, seed, conditions: { mishaps, within } })
  onTestFinished(async () => {
    await network.close()
    await process.kill()
    await rm(process.data, { recursive: true, force: true })
  })
  const good = { url: process.url, token: process.token }
  const project = await createProject(good, { name: 'Drill' })
  const task = await createTask(good, project.id, { title: 'Cut' })
  const at = addressOf(await createRun(good, project.id, task.id, { sandbox: 'none' }))
  return { at, good, bad: { ...good, url: network.url }, network }
}

function someBytes(dice: Dice, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, () => dice.between(0, 255))
}

async function source(bytes: Uint8Array): Promise<BlobSource> {
  return { hash: await hashOf(bytes), size: bytes.length, open: () => bytes }
}

it(
  'W24 blobs that were uploaded and downloaded over bad connections are the same bytes',
  async () => {
    const { at, bad, network } = await roads(21, { bytes: 200_000, ms: 400 })
    const dice = new Dice(21)
    const contents = Array.from({ length: many }, () => someBytes(dice, dice.between(0, 20_000)))
    const sources = await Promise.all(contents.map(source))

    const { uploaded, refused } = await uploadBlobs(bad, at, sources, patient)
    expect(refused).toEqual([])
    expect(new Set(uploaded)).toEqual(new Set(sources.map(({ hash }) => hash)))
    expect((await uploadBlobs(bad, at, sources, patient)).uploaded).toEqual([])

    for (const [nth, { hash }] of sources.entries()) {
      const bytes = await readBlob(bad, at, hash, { ...patient, silenceMs: 300 })
      expect(Buffer.compare(bytes, contents[nth]!)).toBe(0)
    }
    expect(network.broken()).toBeGreaterThan(0)
  },
  many * 10_000,
)

it('W24 a large blob is downloaded in pieces, over as many connections as needed', {
  timeout: 300_000,
}, async () => {
  const { at, good, bad, network } = await roads(22, { bytes: 200_000, ms: 2000 })
  const bytes = someBytes(new Dice(22), 2_500_000)
  const large = await source(bytes)
  await uploadBlobs(good, at, [large])

  const pieces: Uint8Array[] = []
  const newHasher = () => createHash('sha256')
  for await (const piece of downloadBlob(bad, at, large.hash, { ...patient, silenceMs: 300, newHasher }))
    pieces.push(piece)
  expect(Buffer.compare(Buffer.concat(pieces), bytes)).toBe(0)
  expect(network.broken()).toBeGreaterThan(1)
})
