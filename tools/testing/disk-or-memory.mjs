import process from 'node:process'
import { expect, inject } from 'vitest'

// A disk makes most tests wait for it. Those of the sync engine, journeys and drills need a real one: how it reuses
// inodes, how long it flushes. Vitest runs this anew for each test file.
const onDisk = /\/packages\/(?:sync|e2e)\/|\/tools\/|\.(?:drill|agents)\.test\.ts$/
const { disk, memory } = inject('temporary')
const folder = onDisk.test(expect.getState().testPath ?? '') ? disk : memory
if (folder !== null) process.env.TMPDIR = folder
